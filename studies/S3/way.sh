#!/bin/sh
# pkgindex as it was before and after the story: way.sh PROGRAM build|show synced|summed|blocks
#
#   synced  written with two syncs, and trusted
#   summed  written with one checksum and no sync; the checksum is verified at every start
#   blocks  written with a checksum a block and no sync; what is read is verified
set -eu

case $3 in
synced) write='--write sync-rename' sum=adler32 verify=never ;;
summed) write='--write checksum' sum=adler32 verify=always ;;
blocks) write='--write checksum' sum=crc32 verify=touched ;;
*) sed -n '2,6s/^# *//p' "$0" >&2; exit 2 ;;
esac
mkdir -p results
cache=results/cache-$2-$3
case $2 in
build) exec "$1" --cache "$cache" build --stats $write --checksum $sum ;;
show) exec "$1" --cache "$cache" show bash --verify $verify ;;
esac
