#!/bin/bash
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 \
  --vocab-size 50257 --micro-batch-size 4 --global-batch-size 64 --bf16 --use-distributed-optimizer --lr 6e-4 --train-iters 1000
