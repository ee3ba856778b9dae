#!/bin/bash
# GPT of 345 million parameters, as scripts of Megatron-LM have it: arrays of arguments, some of them continued or commented, variables that nobody knows.
export CUDA_DEVICE_MAX_CONNECTIONS=1
CHECKPOINT_PATH=$1 # <Specify path>
VOCAB_FILE=$2/gpt2-vocab.json

DISTRIBUTED_ARGS=(
    --nproc_per_node 8
    --nnodes 2 # of them
    --master_addr localhost
)

GPT_MODEL_ARGS=(
    --num-layers 24
    --hidden-size 1024
    --num-attention-heads 16
    --seq-length 1024
    --max-position-embeddings 1024
)

TRAINING_ARGS=(
    --micro-batch-size 4
    --global-batch-size 256
    --train-iters 500000
    --lr 6.0e-5 --lr-decay-style cosine
    --weight-decay 0.1
    --clip-grad 1.0
    --fp16
    --use-flash-attn
)

MODEL_PARALLEL_ARGS=(
	--tensor-model-parallel-size 2
	--pipeline-model-parallel-size 2
)

DATA_ARGS=(
    --data-path "$3"
    --vocab-file "$VOCAB_FILE"
    --vocab-size 50257
    --split '949,50,1'
)

if [ ! -d "$CHECKPOINT_PATH" ]; then
    mkdir -p "$CHECKPOINT_PATH"
fi

torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py \
    "${GPT_MODEL_ARGS[@]}" \
    ${TRAINING_ARGS[@]} \
    ${MODEL_PARALLEL_ARGS[*]} \
    "${DATA_ARGS[@]}" --save "$CHECKPOINT_PATH" --log-interval 100 "$@" 2>&1 | tee log.txt
