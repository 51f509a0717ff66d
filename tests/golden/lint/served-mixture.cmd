# Served experts are predicted from timings, which have no tiles.
shapelint tests/formats/fixtures/vllm/serve.sh --gpu h100
