ARGS="--num-layers 30 --hidden-size 1536 --num-attention-heads 12 --seq-length 2048 --max-position-embeddings 2048
  --position-embedding-type learned_absolute --vocab-size 32000 --disable-pad-vocab-size --untie-embeddings-and-output-weights --attention-backend unfused
  --micro-batch-size 1 --global-batch-size 64 --bf16"
python -m torch.distributed.run --nnodes=1 --nproc-per-node=8 pretrain_gpt.py $ARGS --pipeline-model-parallel-size 4 \
  --pipeline-model-parallel-layout "Et*3|(t*4|)*6,t*3L" --recompute-granularity full --recompute-method block --recompute-num-layers 2
