X='                                                                                                                                                                                                        1'
Z=000000000001
N=$((X+X+Z*Z))
M=$((!!!!X))
printf -v P 'xxxx%s' a b c
a && b && c || d
python train.py --num-layers $N
