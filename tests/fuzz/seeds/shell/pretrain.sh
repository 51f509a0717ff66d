#!/bin/bash
#SBATCH --nodes=2
export HIDDEN=4096
LAYERS=${1:-32}
TP=${TP:=2}
NODES=$(scontrol show hostnames | wc -l)
WORLD=$((8 * ${NODES:-1}))
if [ "$HIDDEN" == "4096" ] && [[ -n $TP ]]; then HEADS=32; elif [ -f x ]; then HEADS=16; else exit 1; fi
case $SIZE in 7b|8b) FFN=11008 ;; *) FFN=$((4*HIDDEN)) ;; esac
MODEL_ARGS=(
    --num-layers $LAYERS   # depth
    --hidden-size "$HIDDEN"
    # --swiglu
    --ffn-hidden-size ${FFN}
)
MODEL_ARGS+=(--bf16 --lr 1.5e-4)
DATA_ARGS=" \
    --split 949,50,1 \
    --name '${NAME,,}' "
cat <<EOT > ds.json
{ "a": $HIDDEN } --num-layers 99
EOT
while [[ $# -gt 0 ]]; do case $1 in --tp) TP=$2; shift;; esac; done
for lr in 1 2; do echo $lr; done
run() { echo "$@"; }
CMD="torchrun ${MODEL_ARGS[@]} $DATA_ARGS --tensor-model-parallel-size $TP \$X"
eval $CMD 2>&1 | tee log &
