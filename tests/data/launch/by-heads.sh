srun --nodes=4 --ntasks-per-node=8 python pretrain_gpt.py --num-layers 16 --hidden-size 4096 --num-attention-heads 32 --seq-length 32768 \
  --max-position-embeddings 32768 --use-rotary-position-embeddings --normalization RMSNorm --swiglu --disable-bias-linear \
  --vocab-size ${VOCAB} --make-vocab-size-divisible-by 1 \
  --hidden-dropout 0 --attention-dropout 0 --qk-layernorm --context-parallel-size 4 --cp-comm-type a2a \
  --tensor-model-parallel-size 2 --sequence-parallel --tp-comm-overlap --bf16 --use-distributed-optimizer --micro-batch-size 1 --global-batch-size 16 \
  --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 --use-megatron-fsdp --optimizer adam --data-parallel-sharding-strategy optim_grads_params \
  --ckpt-format fsdp_dtensor --recompute-granularity full
