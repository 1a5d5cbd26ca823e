#!/bin/sh
# Study S1: tarcheck's ways against their floor and `tar`, and the memory of each on a large archive.
# Usage: run.sh     ROUNDS: how often each command is executed (12); ARCHIVE: a tar.gz to check;
#                   TACHO, TARCHECK: the programs.
# Answers go to the terminal and to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$study/../.." && pwd)
rounds=${ROUNDS:-12}
if [ -z "${TACHO:-}" ] || [ -z "${TARCHECK:-}" ]; then
  (cd "$tree" && cargo build --release --quiet --package tacho --package tarcheck)
fi
export TACHO="${TACHO:-$tree/target/release/tacho}"
export TARCHECK="${TARCHECK:-$tree/target/release/tarcheck}"
results=$study/results
mkdir -p "$results"

# Real source code that stands on any machine where this workspace was built: crates, and headers if there are any.
sources=${CARGO_HOME:-$HOME/.cargo}/registry
if [ -z "${ARCHIVE:-}" ]; then
  ARCHIVE=$results/sources.tar.gz
  [ -e "$ARCHIVE" ] || tar -cf - -C "$sources" src -C /usr include | gzip -6 > "$ARCHIVE"
fi

{
  date -u +%Y-%m-%d
  uname -srm
  sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
  "$TARCHECK" --way just-reading "$ARCHIVE" 2>&1
  cat /proc/loadavg
} | tee "$results/host.txt"

echo
echo '== ways'
LIBDEFLATE=1 "$tree/studies/subjects/tarcheck/bench.sh" "$ARCHIVE" "$rounds" > "$results/ways.txt"
cat "$results/ways.txt"

echo
echo '== memory on more than 1 GB'
large=$results/large.tar.gz
if [ ! -e "$large" ]; then
  # Members of gzip may follow each other; of each tar archive, the 1,024 zeros at its end are left out.
  for copy in 1 2 3 4 5 6; do
    tar -b1 -cf - --transform "s,^,copy$copy/," -C "$sources" src -C /usr include | head -c -1024 | gzip -1
  done > "$large"
fi
for way in just-reading sequential unbounded bounded read-all; do
  command time -f "$way: %M KiB, %e s, %P CPU" "$TARCHECK" --fail-on never --way "$way" "$large" 2>&1 > /dev/null
done | tee "$results/memory.txt"
