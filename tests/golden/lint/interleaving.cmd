shapelint tests/formats/fixtures/megatron/few-micro-batches.sh --gpu a100 --select SL506 --min-severity info
shapelint tests/formats/fixtures/megatron/few-micro-batches.sh --gpu a100 --select SL506 --min-severity info --virtual-pipeline 4
