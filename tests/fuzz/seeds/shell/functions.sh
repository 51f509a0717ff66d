run() {
  local layers=$1 tp=${2:-1}
  shift 2
  if [ -z "$layers" ]; then return 1; fi
  CUDA_VISIBLE_DEVICES=0 torchrun train.py --num-layers $layers --tp $tp "$@"
}
read -r -d '' commands <<EOF
cli.train --hidden-size $H \
  --bf16
EOF
ARGS=$(cat <<-'END'
	--lr 0.1
	END
)
set -- 24 2 $ARGS
while [ $# -gt 3 ]; do shift; done
run "$@" && deepspeed --module $commands
bash -c "cd /w; run 32 4 > log && python a.py --z ${*}"
