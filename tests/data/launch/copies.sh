srun --nodes=4 --ntasks-per-node=8 python pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --swiglu --disable-bias-linear --num-experts 8 \
  --moe-ffn-hidden-size 1024 --moe-token-dispatcher-type alltoall --expert-model-parallel-size 4 --qk-layernorm --seq-length 2048 --max-position-embeddings 2048 \
  --position-embedding-type rope --hidden-dropout 0 --attention-dropout 0 --tokenizer-type NullTokenizer --vocab-size 32768 --micro-batch-size 1 --global-batch-size 64 \
  --bf16 --use-distributed-optimizer --num-distributed-optimizer-instances 2 --overlap-grad-reduce --overlap-param-gather
