# Experts of a served mixture are priced by timings, which tell no tiles.
shapelint tests/formats/fixtures/vllm/serve.sh --gpu h100
