#!/bin/sh
# Study S3: generating a cache, showing a package and applying patches, against apt; the trade-off; the share of the sync.
# Usage: run.sh     ROUNDS: how often each command is executed (10); INDEX: one of apt's lists; TACHO, PKGINDEX: the programs.
# Answers go to the terminal and to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$study/../.." && pwd)
rounds=${ROUNDS:-10}
if [ -z "${TACHO:-}" ] || [ -z "${PKGINDEX:-}" ]; then
  (cd "$tree" && cargo build --release --quiet --package tacho --package pkgindex)
fi
export TACHO="${TACHO:-$tree/target/release/tacho}"
export PKGINDEX="${PKGINDEX:-$tree/target/release/pkgindex}"
results=$study/results
mkdir -p "$results"

index=${INDEX:-$(ls -S /var/lib/apt/lists/*_Packages* 2> /dev/null | head -n 1)}
if [ -z "$index" ]; then
  echo 'error: apt has no index on this machine' >&2
  echo 'hint: apt-get update' >&2
  exit 2
fi

{
  date -u +%Y-%m-%d
  uname -srm
  sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
  apt-get --version | head -n 1
  echo "$(basename "$index"): $("$PKGINDEX" cat "$index" | wc -c) bytes unpacked"
  cat /proc/loadavg
} | tee "$results/host.txt"

"$tree/studies/subjects/pkgindex/bench.sh" "$index" "$rounds" > "$results/peers.txt"
cat "$results/peers.txt"

echo
echo '== the share of the sync'
for way in sync sync-rename checksum; do
  for round in 1 2 3; do
    "$PKGINDEX" -i "$index" -c "$results/cache" build --write "$way" --stats |
      awk -v way="$way" '/^time-/ { all += $2 } /^time-sync/ { sync = $2 }
        END { printf "%s: sync %.0f ms of %.0f ms, %.0f %%\n", way, sync * 1000, all * 1000, 100 * sync / all }'
  done
done | tee "$results/sync.txt"

if [ "$(id -u)" = 0 ]; then
  echo
  echo '== showing one package, nothing in memory'
  show="$PKGINDEX -i $index -c $results/cache show bash"
  "$PKGINDEX" -i "$index" -c "$results/cache" build
  "$TACHO" bench --wait --quiet -N --cold --runs "$rounds" --reference touched \
    -n always "$show --verify always" -n doubt "$show --verify doubt" -n touched "$show --verify touched" \
    > "$results/cold.txt"
  cat "$results/cold.txt"
fi
