A=1
B=A+A+A+A
C=B+B+B+B
D=C+C+C+C
N=$((D * D))
for ((i = 0; i < 100; i++)); do M=$((M + D)); done
python pretrain_gpt.py --num-layers $N --hidden-size $M
