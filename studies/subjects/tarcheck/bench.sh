#!/bin/sh
# Measures tarcheck's ways against its floor and `tar`, all in one interleaved run:
#   bench.sh ARCHIVE.tar.gz [RUNS]
#
# TACHO     the command that measures (default: tacho)
# TARCHECK  the program (default: the release build of this workspace)
# LIBDEFLATE=1 adds the inflate that keeps the whole archive in memory
set -eu

[ $# -ge 1 ] || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
archive=$1
runs=${2:-15}
here=$(cd "$(dirname "$0")" && pwd)
tacho=${TACHO:-tacho}
tarcheck=${TARCHECK:-$here/../../../target/release/tarcheck}
check="$tarcheck -q --fail-on never"

set --
for way in just-reading sequential read-all unbounded bounded; do
    set -- "$@" -n "$way" "$check --no-ahead --way $way '$archive'"
done
# Only one thread can unpack, but that thread need do nothing else.
for way in just-reading bounded; do
    set -- "$@" -n "$way, ahead" "$check --ahead --way $way '$archive'"
done
case $archive in
*.gz | *.tgz | *.crate)
    # The inflate of the story, kept as the floor that the others should beat.
    for way in just-reading bounded; do
        set -- "$@" -n "$way, miniz" "$check --inflate miniz --way $way '$archive'"
        [ -z "${LIBDEFLATE:-}" ] || set -- "$@" -n "$way, libdeflate" "$check --inflate libdeflate --way $way '$archive'"
    done ;;
esac
set -- "$@" -n "tar -t" "tar -tf '$archive'"

"$tacho" bench -q -N --wait --warmup 1 --rounds "$runs" --reference just-reading "$@"

echo
echo 'Peak memory and time of one execution each:'
for way in just-reading sequential read-all unbounded bounded; do
    command time -f "$way: %M KiB, %e s, %P CPU" $check --way "$way" "$archive" 2>&1 >/dev/null | tail -n 1
done
