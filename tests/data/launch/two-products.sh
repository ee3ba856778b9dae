# Experts of two products with squared ReLU, biases in every product and in the router. The first layer has an MLP.
torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py --num-layers 6 --hidden-size 512 --num-attention-heads 8 --ffn-hidden-size 1536 \
  --num-experts 8 --moe-layer-freq "([0]*1+[1]*5)" --moe-ffn-hidden-size 768 --moe-router-topk 2 --moe-token-dispatcher-type alltoall --squared-relu \
  --expert-model-parallel-size 4 --seq-length 1024 --max-position-embeddings 1024 --position-embedding-type rope --normalization RMSNorm \
  --hidden-dropout 0 --attention-dropout 0 --vocab-size 32000 --micro-batch-size 2 --global-batch-size 64 --bf16 --use-distributed-optimizer
