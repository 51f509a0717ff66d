# Megatron-LM scripts run on Megatron-core: its requirements apply to findings and to the search.
shapelint tests/contracts/models/uneven-stages.sh --gpu h100 --select SL408,SL451
shapelint tests/contracts/models/uneven-stages.sh --gpu h100 --select SL408,SL451 --stack none
shapelint suggest tests/contracts/models/uneven-stages.sh --gpu h100 --vary num_layers,pipeline --top 2 --format csv
# A finding of the same field for another reason does not hide a requirement.
shapelint tests/contracts/models/uneven-everything.sh --gpu h100 --select SL4 --format concise
