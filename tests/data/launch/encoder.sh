torchrun --nnodes 1 --nproc-per-node 8 pretrain_bert.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 --max-position-embeddings 512 \
  --micro-batch-size 4 --global-batch-size 128 --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 2 --bf16 --vocab-size 30522
