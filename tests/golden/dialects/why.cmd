shapelint show --why tests/formats/fixtures/unrelated/docker-compose.yml
shapelint show --why tests/formats/fixtures/megatron/data-tool.sh
shapelint show --why tests/formats/fixtures/maxtext/configs/sft.yml --format text --isolated
