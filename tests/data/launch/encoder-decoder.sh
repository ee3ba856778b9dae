torchrun --nnodes 1 --nproc-per-node 8 pretrain_t5.py --encoder-num-layers 12 --decoder-num-layers 6 --hidden-size 768 --num-attention-heads 12 --kv-channels 64 \
  --ffn-hidden-size 3072 --encoder-seq-length 512 --decoder-seq-length 128 --max-position-embeddings 512 --position-embedding-type relative --attention-backend unfused \
  --micro-batch-size 4 --global-batch-size 128 --tensor-model-parallel-size 2 --bf16 --tokenizer-type BertWordPieceCase --vocab-extra-ids 100
