#!/bin/bash
# Sixteen GPUs in replicas of six, and thirty-two layers over three stages: two reasons to stop, both told.
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py \
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008 --num-attention-heads 32 --seq-length 4096 \
  --max-position-embeddings 4096 --vocab-size 32000 --swiglu --bf16 --use-flash-attn \
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 3 \
  --micro-batch-size 1 --global-batch-size 64 --lr 3e-4 --train-iters 1000
