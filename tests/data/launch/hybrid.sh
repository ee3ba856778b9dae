# Mamba-2, attention and MLPs in two segments, one on each stage.
options=" \
       --hybrid-override-pattern M-M*-|M-M*- \
       --hidden-size 2048 --ffn-hidden-size 8192 --num-attention-heads 16 \
       --group-query-attention --num-query-groups 8 \
       --mamba-state-dim 128 --mamba-num-groups 8 \
       --seq-length 8192 --max-position-embeddings 8192 --position-embedding-type none \
       --normalization RMSNorm --squared-relu --disable-bias-linear --untie-embeddings-and-output-weights \
       --hidden-dropout 0.0 --attention-dropout 0.0 \
       --vocab-size 131072 --tokenizer-type TikTokenizer \
       --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --sequence-parallel \
       --micro-batch-size 2 --global-batch-size 64 \
       --optimizer sgd --sgd-momentum 0.0 --clip-grad 0 \
       --bf16 --grad-reduce-in-bf16 --use-distributed-optimizer --overlap-grad-reduce"
torchrun --nproc_per_node 8 --nnodes 4 pretrain_hybrid.py ${options}
