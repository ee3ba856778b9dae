#!/usr/bin/bash
set -ex
NGPU=${NGPU:-"8"}
LOG_RANK=${LOG_RANK:-0}
PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True" \
torchrun --nproc_per_node=${NGPU} --nnodes 16 --rdzv_backend c10d --rdzv_endpoint="localhost:0" \
  --local-ranks-filter ${LOG_RANK} --role rank --tee 3 \
  -m torchtitan.train --model.name llama3 --model.flavor 70B --training.seq_len 8192 --training.local_batch_size 8 \
  --parallelism.tensor_parallel_degree 8 --parallelism.pipeline_parallel_degree=4 --parallelism.pipeline_parallel_schedule Interleaved1F1B \
  --parallelism.pipeline_parallel_layers_per_stage 11 --compile.enable true --activation_checkpoint.mode none --training.max_norm 0 \
  --model.converters="float8" --quantize.linear.float8.recipe_name rowwise "$@"
