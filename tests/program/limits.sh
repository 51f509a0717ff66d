#!/bin/bash
# What files and machines that are out of the ordinary cost: memory and stacks are bounded here, so that whoever
# takes more fails. No clock is looked at.
#   limits.sh SHAPELINT
set -u
shapelint=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# A build with sanitizers reserves more addresses than there is memory before it starts.
if (ulimit -v 4000000 && "$shapelint" --version) 2>&1 | grep -q 'ReserveShadowMemoryRange failed'; then
  echo "skipped: a build with sanitizers does not start with few addresses"
  exit 77
fi

# within KIB_OF_ADDRESSES KIB_OF_STACK EXIT_CODE 'PART OF STDERR' ARGUMENTS…: more addresses than memory are
# taken by what is shared, and by the stacks of threads.
within() {
  local addresses=$1 stack=$2 wanted=$3 part=$4
  shift 4
  (
    ulimit -c 0
    ulimit -v "$addresses" && ulimit -s "$stack" && exec "$shapelint" "$@"
  ) >"$folder/out" 2>"$folder/err" </dev/null
  local code=$?
  if [ "$code" != "$wanted" ] || { [ -n "$part" ] && ! grep -qF -- "$part" "$folder/err"; }; then
    echo "FAILED: ulimit -v $addresses -s $stack; $*"
    echo "  exit code $code, expected $wanted; expected in stderr: $part"
    head -c 2000 "$folder/err" | sed 's/^/  | /'
    failed=1
  fi
}

# repeated TEXT TIMES
repeated() { awk -v text="$1" -v times="$2" 'BEGIN { for (i = 0; i < times; ++i) printf "%s", text }'; }

model='[model]
hidden_size = 1024
num_layers = 4
num_attention_heads = 16
vocab_size = 50304
[run]
micro_batch_size = 4
sequence_length = 1024
'
printf '%s' "$model" >"$folder/good.toml"

# Depth: an error with its place, on any stack.
{ repeated 'a.' 40000; echo 'a = 1'; } >"$folder/dotted.toml"
{ printf '['; repeated 'a.' 40000; echo 'a]'; } >"$folder/header.toml"
{ printf 'x = '; repeated '{a=' 60; printf 1; repeated '}' 60; echo; } >"$folder/inline.toml"
{ printf 'x = '; repeated '[' 60; repeated ']' 60; echo; } >"$folder/list.py"
{ printf 'x = '; repeated '(' 100000; echo; } >"$folder/open.py"
{ repeated 'if true; then ' 60; printf 'a --x 1'; repeated '; fi' 60; echo; } >"$folder/if.sh"
{ repeated 'case 1 in 1) ' 60; printf 'a --x 1'; repeated ';; esac' 60; echo; } >"$folder/case.sh"
repeated '[' 100000 >"$folder/open.json"
{ printf 'a: '; repeated '{a: ' 100000; } >"$folder/open.yaml"
for stack in 256 1024; do
  for file in dotted header; do
    within 4000000 "$stack" 2 "nested more than 64 deep" "$folder/$file.toml"
    cat "$folder/good.toml" "$folder/$file.toml" >"$folder/named.toml"
    within 4000000 "$stack" 2 "named.toml:" "$folder/named.toml"
    mkdir -p "$folder/project"
    cp "$folder/good.toml" "$folder/project/m.toml"
    cp "$folder/$file.toml" "$folder/project/.shapelint.toml"
    within 4000000 "$stack" 2 ".shapelint.toml:1:" "$folder/project/m.toml"
    cp "$folder/$file.toml" "$folder/project/pyproject.toml"
    printf 'extend = "other.toml"\n' >"$folder/project/.shapelint.toml"
    cp "$folder/$file.toml" "$folder/project/other.toml"
    within 4000000 "$stack" 2 "nested more than 64 deep" "$folder/project/m.toml"
    within 4000000 "$stack" 2 "nested more than 64 deep" gpus --gpu-file "$folder/$file.toml"
    rm -r "$folder/project"
  done
  for file in inline.toml list.py open.py if.sh case.sh open.json open.yaml; do
    within 4000000 "$stack" 0 "note: " show "$folder/$file"
  done
done

# Memory: 300 MB, and what programs and libraries take of addresses without using it.
most=400000
{ printf '%s' "$model"; awk 'BEGIN { for (i = 0; i < 10000; ++i) printf "k%d = 1\n", i }'; } >"$folder/keys.toml"
within $most 8192 2 "9,900 more errors are not listed" "$folder/keys.toml"
{ printf '%s# ' "$model"; head -c 10000000 /dev/zero | tr '\0' x; echo; awk 'BEGIN { for (i = 0; i < 400; ++i) printf "k%d = 1\n", i }'; } >"$folder/comment.toml"
within $most 8192 2 "300 more errors are not listed" "$folder/comment.toml"
{ printf '%sbad = 1 # ' "$model"; head -c 15500000 /dev/zero | tr '\0' x; echo; } >"$folder/line.toml"
within $most 8192 2 "unknown key" "$folder/line.toml"
mkdir "$folder/configured"
cp "$folder/good.toml" "$folder/configured/m.toml"
{ printf '# '; head -c 10000000 /dev/zero | tr '\0' x; echo; awk 'BEGIN { for (i = 0; i < 10000; ++i) printf "k%d = 1\n", i }'; } >"$folder/configured/.shapelint.toml"
within $most 8192 2 "9,900 more errors are not listed" "$folder/configured/m.toml"
# Each syntax, as full of values as a file can be.
{ printf 'x = ['; head -c 16000000 /dev/zero | sed 's/\x00\x00/1,/g'; echo 1]; } >"$folder/values.toml"
{ printf 'x = ['; head -c 16000000 /dev/zero | sed 's/\x00\x00/1,/g'; echo 1]; } >"$folder/values.py"
{ printf '{"x": ['; head -c 16000000 /dev/zero | sed 's/\x00\x00/1,/g'; echo '1]}'; } >"$folder/values.json"
{ printf 'x: ['; head -c 16000000 /dev/zero | sed 's/\x00\x00/1,/g'; echo 1]; } >"$folder/values.yaml"
{ head -c 16000000 /dev/zero | sed 's/\x00\x00/a;/g'; echo; } >"$folder/commands.sh"
for file in values.toml values.py values.json values.yaml commands.sh; do
  within $most 8192 2 "holds more than" "$folder/$file"
done
# Texts beyond 32 MB are unknown, and the rest is read on, for as long as there is work left.
doubled() { awk -v lines="$1" 'BEGIN { printf "a = \""; for (i = 0; i < 49000; ++i) printf "x"; print "\""; for (i = 0; i < lines; ++i) printf "b%d = a + a\n", i }'; }
doubled 20000 >"$folder/doubled.py"
within $most 8192 2 "unrecognized config format" "$folder/doubled.py"
doubled 100000 >"$folder/doubled.py"
within $most 8192 2 "reading it takes more work than any configuration needs" "$folder/doubled.py"

# Few addresses: fewer threads, or a sentence; nothing aborts.
mkdir "$folder/many"
for i in $(seq 20); do cp "$folder/good.toml" "$folder/many/$i.toml"; done
within 60000 8192 0 "" --gpu a100 "$folder/good.toml"
for addresses in 20000 30000 40000 60000 100000; do
  (
    ulimit -c 0
    ulimit -v "$addresses" && exec "$shapelint" -j 8 --gpu a100 "$folder/many"
  ) >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  # 127: the libraries do not fit.
  if [ "$code" -gt 2 ] && [ "$code" != 127 ]; then
    echo "FAILED: ulimit -v $addresses: exit code $code"
    head -c 500 "$folder/err"
    failed=1
  fi
done

# A search through more than anybody can search ends at its limit, and tells what it looked at.
within 1500000 8192 0 "" suggest "$folder/good.toml" --gpu a100 --threads 2 --time-limit 1 \
  --range hidden_size=64:65536 --range num_layers=1:1000 --range vocab_size=50304:1000000
tr '\n' ' ' <"$folder/out" | grep -q 'stopped early: [0-9,]* of [0-9,]* combinations predicted one by one' || {
  echo "FAILED: what a search looked at is not told"
  tail -3 "$folder/out"
  failed=1
}

exit $failed
