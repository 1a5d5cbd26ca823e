#!/bin/sh
# Measures pkgindex against apt on the same index, interleaved: bench.sh [INDEX] [RUNS]
#
# INDEX is one of apt's lists (default: the largest `…_Packages` of /var/lib/apt/lists); its
# InRelease stands beside it. TACHO     the command that measures (default: tacho)
# PKGINDEX  the program (default: the release build of this workspace)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tacho=${TACHO:-tacho}
pkgindex=${PKGINDEX:-$here/../../../target/release/pkgindex}
index=${1:-$(ls -S /var/lib/apt/lists/*_Packages* | head -n 1)}
runs=${2:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A private root for apt: this index, no installed packages, a cache of its own.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/state" "$work/etc"
: > "$work/status"
cp "$index" "$work/lists/"
release=${index%%_main_*}_InRelease
[ ! -e "$release" ] || cp "$release" "$work/lists/"
site=$(basename "$index")
suite=${site#*_dists_}
address=${site%%_dists_*}
echo "deb http://$(echo "$address" | tr _ /) ${suite%%_*} main" > "$work/etc/sources.list"
apt="-o Dir::Etc=$work/etc -o Dir::Etc::SourceList=$work/etc/sources.list -o Dir::Etc::SourceParts=/dev/null"
apt="$apt -o Dir::State=$work/state -o Dir::State::Lists=$work/lists -o Dir::State::Status=$work/status"
# Containers often switch apt's cache off; here it is what is measured.
apt="$apt -o Dir::Cache=$work/cache -o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin"
apt="$apt -o APT::Architecture=amd64"
ours="$pkgindex -i $index -c $work/ours"

# Both must know the same packages, or the comparison is of two different jobs.
apt-cache $apt gencaches > /dev/null
known=$(apt-cache $apt show bash | LC_ALL=C sort | cksum)
[ "$known" = "$($ours show bash 2> /dev/null | LC_ALL=C sort | cksum)" ] || {
    echo "error: apt-cache and pkgindex do not show the same \`bash\`" >&2
    exit 1
}

bench() { echo; echo "== $1"; shift; "$tacho" bench -q -N --wait --warmup 1 "$@"; }

bench 'Generating the cache' --rounds "$runs" --prepare "rm -f $work/cache/pkgcache.bin $work/cache/srcpkgcache.bin $work/ours" \
    --reference 'apt-cache gencaches' \
    -n 'apt-cache gencaches' "apt-cache $apt gencaches" \
    -n 'checksum' "$ours build --write checksum" \
    -n 'sync' "$ours build --write sync" \
    -n 'sync-rename' "$ours build --write sync-rename" \
    -n 'table 1009' "$ours build --table 1009" \
    -n 'table 131071' "$ours build --table 131071" \
    -n 'hash sum' "$ours build --hash sum" \
    -n 'hash times5' "$ours build --hash times5" \
    -n 'hash fnv' "$ours build --hash fnv"

for table in 1009 7919 15013 131071; do
    for hash in sum times5 djb fnv; do
        echo "table $table, $hash: $($ours build --stats --table $table --hash $hash | sed -n 's/^mean-bucket: /mean bucket /p')"
    done
done

apt-cache $apt gencaches > /dev/null
for sum in adler32 crc32 blake3; do $pkgindex -i "$index" -c "$work/$sum" build --checksum $sum; done
show() { echo "$pkgindex -i $index -c $work/$1 show bash --verify $2"; }
bench 'Showing one package' --rounds $((runs * 5)) --reference 'apt-cache show' \
    -n 'apt-cache show' "apt-cache $apt show bash" \
    -n 'always, adler32' "$(show adler32 always)" \
    -n 'always, crc32' "$(show crc32 always)" \
    -n 'always, blake3' "$(show blake3 always)" \
    -n 'doubt' "$(show crc32 doubt)" \
    -n 'touched' "$(show crc32 touched)" \
    -n 'never' "$(show crc32 never)"

# Patches that take out, change and add some hundred packages, as between two days of a suite.
$pkgindex cat "$index" > "$work/old"
edit() { awk -v RS= -v ORS='\n\n' -v n="$1" 'NR % 331 == n { next } NR % 173 == n { sub(/Version: /, "&1:") } NR % 419 == n { print "Package: new-" NR "\nVersion: 1" } 1' "$2"; }
edit 5 "$work/old" > "$work/middle"
edit 9 "$work/middle" > "$work/new"
diff --ed "$work/old" "$work/middle" > "$work/1.ed" || true
diff --ed "$work/middle" "$work/new" > "$work/2.ed" || true
both="$work/1.ed $work/2.ed"
/usr/lib/apt/methods/rred -t "$work/old" "$work/by-apt" $both > /dev/null 2>&1
$pkgindex rred -o "$work/by-us" "$work/old" $both
cp "$work/old" "$work/by-ed"
for patch in $both; do patch --ed --silent "$work/by-ed" "$patch"; done
for by in by-apt by-us by-ed; do
    cmp "$work/new" "$work/$by" || { echo "error: $by is not the new index" >&2; exit 1; }
done
echo "$(wc -l < "$work/1.ed") and $(wc -l < "$work/2.ed") lines of patches; apt, ed and pkgindex agree"
bench 'Applying two patches' --rounds "$runs" --reference "apt's rred" \
    -n "apt's rred" "/usr/lib/apt/methods/rred -t $work/old $work/by-apt $both" \
    -n 'buffered' "$pkgindex rred -o $work/by-us $work/old $both" \
    -n 'unbuffered' "$pkgindex rred --writing unbuffered -o $work/by-us $work/old $both" \
    -n 'patch --ed' "sh -c 'cp $work/old $work/by-ed; for p in $both; do patch --ed --silent $work/by-ed \$p; done'"
