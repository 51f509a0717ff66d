# A script of Megatron-LM is run by Megatron-core, whoever says so: what that refuses is found, and not searched for.
shapelint tests/contracts/models/uneven-stages.sh --gpu h100 --select SL408,SL451
shapelint tests/contracts/models/uneven-stages.sh --gpu h100 --select SL408,SL451 --stack none
shapelint suggest tests/contracts/models/uneven-stages.sh --gpu h100 --vary num_layers,pipeline --top 2 --format csv
# What a rule finds of the same field for another reason hides no contract.
shapelint tests/contracts/models/uneven-everything.sh --gpu h100 --select SL4 --format concise
