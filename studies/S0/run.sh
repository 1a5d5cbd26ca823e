#!/bin/sh
# Study S0: pkgverify's earlier ways beside the present one, on two workloads, and the curve of the batch size.
# Usage: run.sh     ROUNDS: how often each command is executed (6); TACHO, PKGVERIFY: the programs.
# Answers go to the terminal and to results/, as text and as JSON.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$study/../.." && pwd)
rounds=${ROUNDS:-6}
if [ -z "${TACHO:-}" ] || [ -z "${PKGVERIFY:-}" ]; then
  (cd "$tree" && cargo build --release --quiet --package tacho --package pkgverify)
fi
tacho=${TACHO:-$tree/target/release/tacho}
pkgverify=${PKGVERIFY:-$tree/target/release/pkgverify}
results=$study/results
mkdir -p "$results"

if [ ! -d /var/lib/dpkg/info ]; then
  echo 'error: this machine has no packages of Debian' >&2
  exit 2
fi

# largest MOST: the package with the most files, but no more than MOST.
largest() {
  for sums in /var/lib/dpkg/info/*.md5sums; do
    echo "$(wc -l < "$sums") $(basename "$sums" .md5sums)"
  done | awk -v most="$1" '$1 <= most' | sort -rn | sed -n '1s/.* //p'
}

# measure NAME ARGUMENT...: by `tacho bench`. 1 is no failure: files differ from their sums on any real machine.
measure() {
  name=$1
  shift
  echo
  echo "== $name"
  if ! "$tacho" bench --wait --quiet --runs "$rounds" --warmup 1 --ignore-failure=1 \
    --export-json "$results/$name.json" "$@" > "$results/$name.txt" 2>&1; then
    cat "$results/$name.txt" >&2
    exit 2
  fi
  cat "$results/$name.txt"
}

# workload NAME PACKAGES: the versions of the story beside the present way.
workload() {
  measure "$1" --reference-name 'batch 64' --reference "$pkgverify --clean --batch 64 $2" \
    -n 'batch 1024' "$pkgverify --clean --batch 1024 $2" \
    -n 'in process' "$pkgverify --clean $2"
}

{
  date -u +%Y-%m-%d
  uname -srm
  sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
  echo "$(ls /var/lib/dpkg/info/*.list | wc -l) packages, $(cat /var/lib/dpkg/info/*.md5sums | wc -l) files with a sum"
  echo "largest package: $(largest 10000000); for the curve: $(largest 6000)"
  cat /proc/loadavg
} | tee "$results/host.txt"

workload all ''
workload largest "$(largest 10000000)"
measure batch -L batch 1,8,64,512,4096 -n 'batch {batch}' "$pkgverify --clean --batch {batch} $(largest 6000)"

if command -v debsums > /dev/null; then
  echo
  echo '== others'
  TACHO=$tacho PKGVERIFY=$pkgverify ROUNDS=$rounds \
    "$tree/studies/subjects/pkgverify/bench.sh" "$(largest 6000)" > "$results/others.txt" 2>&1
  cat "$results/others.txt"
else
  echo 'note: debsums is not installed: no comparison with it (apt-get install debsums)' >&2
fi
