#!/bin/sh
# Refits the [calibration] tables of gpus/*.toml and gpus/architectures/*.toml to a folder of measured times.
#
#   bench/calibrate.sh [PROGRAM [DATA]]      default: build/release/shapelint ../shared/data/measured
#
# What it reproduces: each fit starts from the constants that are checked in (a100-sxm4-80gb from those of
# a100-sxm4-40gb) and goes on from there with a fixed seed and a fixed number of evaluations. So two runs on the same
# files give the same tables, but a run is a further step of the search, not a repetition of the one that led to the
# checked-in constants: it may move them a little. rtx-3090 and rtx-a6000 are checked in from fits without folds, so
# that their `errors` are 0, which means not measured. Alignment of t4 (half), p100-pcie (half) and gtx-1080-ti (single) was
# fitted by hand to half of DeepBench's 24 misaligned products each: too few of each kind for the search. Constants that the data cannot determine keep the checked-in
# value. bench/accuracy.sh --check says whether the result is as good.
#
# Profiles that nothing measured get their architecture's constants, which are those of the relative named below.
# Each fit is repeated once per fold to measure its error on sites left out. PROFILES="l40s t4" in the environment redoes
# those alone; EVALUATIONS, SAMPLE and FOLDS set the effort.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/release/shapelint}
data=${2:-../shared/data/measured}
if [ ! -d "$data" ]; then
  echo "no folder $data: nothing to calibrate from" >&2
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# calibrate PROFILE SOURCE OPTIONS -- FILES: fits gpus/PROFILE.toml in place.
calibrate() {
  profile=$1 source=$2
  shift 2
  case " ${PROFILES:-$profile} " in *" $profile "*) ;; *) return 0 ;; esac
  options=
  while [ "$1" != -- ]; do options="$options $1"; shift; done
  shift
  shapes=
  for file in "$@"; do
    # DeepBench's matrices lie by columns: what it calls m is contiguous, which is n here.
    case $file in deepbench-*) swap=1 ;; *) swap=0 ;; esac
    gzip -dc "$data/$file.csv.gz" |
      awk -F, -v OFS=, -v swap=$swap 'swap && NR > 1 { m = $5; $5 = $6; $6 = m } { print }' > "$scratch/${file##*/}.csv"
    shapes="$shapes --shapes $scratch/${file##*/}.csv"
  done
  echo "== $profile"
  # shellcheck disable=SC2086 # options and shapes are lists of words
  "$program" calibrate --gpu-file "gpus/$profile.toml" $shapes --source "$source" $options \
    --evaluations "${EVALUATIONS:-4000}" --sample "${SAMPLE:-1000}" --folds "${FOLDS:-5}" -o "gpus/$profile.toml"
}

# relative ARCHITECTURE PROFILE...: the architecture's [calibration] is the first profile's that has each set.
relative() {
  architecture=$1
  shift
  python3 - "gpus/architectures/$architecture.toml" "$@" <<'PYTHON'
import re, sys
path, profiles = sys.argv[1], sys.argv[2:]
text = re.sub(r'(?ms)^\[calibration.*?(?=^\[(?!calibration)|\Z)', '', open(path).read()).rstrip('\n') + '\n'
sets = {}
for profile in profiles:
    content = open(f'gpus/{profile}.toml').read()
    for table in re.findall(r'(?ms)^\[calibration\.(\w+)\]\n(.*?)(?=^\[|\Z)', content):
        if table[0] in sets: continue
        lines = [re.sub(r'^(source = ")', rf'\1constants of {profile}: ', line) for line in table[1].strip().split('\n')]
        # What only the benchmark paid, and how well a GPU that is not the relative is met, do not carry over; that it rotated
    # weights does, since what is found in L2 is then known of the other operands alone.
        keep = [l for l in lines if not re.match(r'(errors|host_us|rotation_(?!reach)\w+) =|rotation_reach = 0 ', l)]
        sets[table[0]] = '\n'.join(keep)
if sets:
    text += f'\n[calibration]\nsource = "constants of {", ".join(profiles)}"\n'
    for name in ('half', 'byte', 'single', 'tensor', 'row', 'block128', 'mxfp8', 'nvfp4', 'mxfp4'):
        if name in sets: text += f'\n[calibration.{name}]\n{sets[name]}\n'
open(path, 'w').write(text)
PYTHON
}

aic="aiconfigurator, cuBLAS linear layers in CUDA graphs"
sim="LLMServingSim, kernel times of Llama-3.1-8B layers"
paper="sweeps behind arXiv 2401.14489, torch.matmul, launch included"
neusight="NeuSight, fp32 GEMMs without tensor cores, launch included"
deepbench="DeepBench training GEMMs"

calibrate a100-sxm4-40gb "$paper" -- paper-a100-fp16 paper-a100-layer-gemms-fp16
calibrate a100-sxm4-80gb "$aic" --start-from a100-sxm4-40gb -- a100_sxm-bf16
calibrate a100-pcie-40gb "$neusight" -- neusight-fp32
relative ampere-ga100 a100-sxm4-80gb a100-pcie-40gb
calibrate h100-sxm5 "$aic; fp8: vLLM with quantization" -- h100_sxm-bf16 h100_sxm-fp8
# Products of fp8 alone: the folder `kernels` beside the other.
calibrate h800-sxm "pipeweave, FP8 GEMMs alone" -- ../kernels/fp8-products
calibrate h800-sxm "InferSim, DeepGEMM" -- ../kernels/deepgemm-products
calibrate h20 "pipeweave, FP8 GEMMs alone" -- ../kernels/fp8-products
calibrate h20 "InferSim, DeepGEMM" -- ../kernels/deepgemm-products
relative hopper h100-sxm5 h800-sxm
calibrate b200-sxm "$aic; fp8: vLLM with quantization" -- b200_sxm-bf16 b200_sxm-fp8
relative blackwell b200-sxm
calibrate l40s "$aic; fp8: vLLM with quantization" --rotated -- l40s-bf16 l40s-fp8
relative ada l40s
calibrate rtx-a6000 "$sim" -- a6000-fp16
calibrate rtx-3090 "$sim" -- rtx3090-fp16
relative ampere-ga10x rtx-3090
calibrate v100-sxm2-16gb "$paper" -- paper-v100-fp16
calibrate v100-pcie-32gb "$neusight" -- neusight-fp32
relative volta v100-sxm2-16gb v100-pcie-32gb
calibrate t4 "$deepbench; fp32 also NeuSight" -- deepbench-t4 neusight-fp32
relative turing t4
calibrate p100-pcie "$deepbench; fp32 also NeuSight" -- deepbench-p100 neusight-fp32
relative pascal-gp100 p100-pcie
calibrate gtx-1080-ti "$deepbench" -- deepbench-1080ti
relative pascal-gp102 gtx-1080-ti
calibrate mi250x "$paper" -- paper-mi250x-fp16
relative cdna2 mi250x
aiter="aiter, best of the tuner's kernels"
calibrate mi308x "$aiter" -- ../kernels/amd-products
calibrate mi300x "$aiter" -- ../kernels/amd-products
relative cdna3 mi300x mi308x
calibrate mi355x "$aiter" -- ../kernels/amd-products
relative cdna4 mi355x
