#!/bin/sh
# Study S3: generating a cache, showing a package and applying patches, against apt; the trade-off
# of syncs and checksums; cold caches; and memory bisected under a limit.
# Usage: run.sh     ROUNDS: how often each command is executed (8); INDEX: one of apt's lists;
# TACHO, PKGINDEX. Numbers and pages go to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
. "$study/../lib/study.sh"
rounds=${ROUNDS:-8}
index=${INDEX:-$(ls -S /var/lib/apt/lists/*_Packages* 2> /dev/null | head -n 1)}
if [ -z "$index" ]; then
  echo 'error: apt has no index on this machine' >&2
  echo 'hint: apt-get update' >&2
  exit 2
fi
programs tacho pkgindex
host "$(apt-get --version | head -n 1)" "$(basename "$index"): $("$pkgindex" cat "$index" | wc -c) bytes unpacked"

export TACHO="$tacho" PKGINDEX="$pkgindex"
part 'Against apt' peers verbatim "$tree/studies/subjects/pkgindex/bench.sh" "$index" "$rounds"

compare() {
  "$tacho" compare --plan "$study/tacho.toml" --wait --quiet --markdown --rounds "$rounds" "$@"
}
part 'The trade-off of the story: syncs, or a checksum that is always verified' trade-off \
  compare HEAD:way=synced HEAD:way=summed
part 'Without the price: a checksum a block' blocks compare HEAD:way=synced HEAD:way=blocks
"$tacho" site --quiet --plan "$study/tacho.toml" "$results/site" > "$results/site.log"

# The share of the sync, as pkgindex itself says.
shares() {
  for way in sync sync-rename checksum; do
    for round in 1 2 3; do
      "$pkgindex" -i "$index" -c "$results/cache" build --write "$way" --stats |
        awk -v way="$way" '/^time-/ { all += $2 } /^time-sync/ { sync = $2 }
          END { printf "%s: sync %.0f ms of %.0f ms, %.0f %%\n", way, sync * 1000, all * 1000, 100 * sync / all }'
    done
  done
}
part 'The share of the sync' sync verbatim shares

# show NAME OPTION...
show() {
  page=$results/$1.html
  shift
  "$tacho" sweep --wait --quiet --markdown --rounds "$rounds" --page "$page" "$@" \
    -P verify=always,doubt,touched,never "${FIRST:-} $pkgindex -i $index -c $results/cache show bash --verify {verify}"
}
# With the system's caches dropped before each execution, where that is permitted.
if [ "$(id -u)" = 0 ] && [ -w /proc/sys/vm/drop_caches ]; then
  part 'Showing a package, nothing in memory' cold \
    show cold --prepare 'sync; echo 3 > /proc/sys/vm/drop_caches'
else
  skip 'Showing a package, nothing in memory' 'caches can only be dropped by root'
fi
part 'Showing a package, all in memory' warm show warm

if command -v xz > /dev/null; then
  [ -d "$study/history" ] || "$study/make-history.sh" "$study/history" > "$results/history.log"
  "$pkgindex" cat "$index" | head -c 1500000 > "$results/input"
  first=$(git -C "$study/history" rev-list --max-parents=0 HEAD)
  memory() { "$tacho" bisect --plan "$study/memory/tacho.toml" --wait --quiet --markdown -m peak-memory "$@"; }
  part 'Memory, bisected under a limit of 512 MiB' limited memory -b pack "$first" HEAD
  part 'Memory, bisected without a limit' memory memory -b pack-unlimited "$first" HEAD
  "$tacho" site --quiet --plan "$study/memory/tacho.toml" "$results/memory-site" > "$results/site.log"
else
  skip 'Memory, bisected under a limit of 512 MiB' 'xz is not installed (apt-get install xz-utils)'
fi
finish
