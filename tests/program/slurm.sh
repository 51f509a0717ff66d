#!/bin/sh
# examples/slurm/ on a real scheduler: slurmctld and slurmd on this machine, an array of jobs, and the parts joined are what
# the sweep prints unsharded. As root, on demand (Debian: slurm-wlm, munge).
#   slurm.sh SHAPELINT [PARTS]
set -eu
shapelint=$(realpath "$1")
parts=${2:-8}
cd "$(dirname "$0")/../.."
for program in slurmctld slurmd sbatch munged; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || {
    echo "skipped: $program is not installed (Debian: slurm-wlm, munge)"
    exit 77
  }
done
[ "$(id -u)" = 0 ] || {
  echo "skipped: slurmd and munged need root here"
  exit 77
}
PATH=$PATH:/usr/sbin
folder=$(mktemp -d)
chmod 755 "$folder"
started=
cleanup() {
  # shellcheck disable=SC2086 # numbers of processes
  [ -z "$started" ] || kill $started 2>/dev/null || true
  sleep 1
  rm -rf "$folder"
}
trap cleanup EXIT
fail() {
  echo "FAILED: $1"
  tail -n 20 "$folder"/*.log
  exit 1
}

mkdir -m 700 "$folder/munge" "$folder/state" "$folder/spool"
dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 2>/dev/null
chmod 400 "$folder/munge/key"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >"$folder/munged.log" 2>&1 &
started=$!
host=$(hostname -s)
cores=$(nproc)
cat >"$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$folder/slurm.conf"
slurmctld -D -i >"$folder/slurmctld.out" 2>&1 &
started="$started $!"
slurmd -D -N "$host" >"$folder/slurmd.out" 2>&1 &
started="$started $!"
tries=0
until sinfo --noheader --format=%t 2>/dev/null | grep -q idle; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || fail "the node does not come up"
  sleep 1
done

mkdir "$folder/bin"
ln -s "$shapelint" "$folder/bin/shapelint"
PATH=$folder/bin:$PATH
sbatch --array=1-"$parts" --mem=100M --output="$folder/job-%a.log" --wait examples/slurm/sweep.sbatch examples/llama-3-8b.toml "$folder/out" \
  >"$folder/sbatch.log" || fail "a job of the array failed"
sh examples/slurm/join.sh "$folder/out" "$parts" >"$folder/joined.csv"
over=$(sed -n 's/^  --over \([^ ]*\) .*/--over \1/p' examples/slurm/sweep.sbatch | tr '\n' ' ')
# shellcheck disable=SC2086 # options
"$shapelint" sweep examples/llama-3-8b.toml $over --gpu a100,h100 >"$folder/whole.csv"
cmp "$folder/joined.csv" "$folder/whole.csv" || fail "the parts joined are not the whole"
echo "an array of $parts jobs on $cores cores: $(($(wc -l <"$folder/whole.csv") - 1)) rows, as unsharded"
