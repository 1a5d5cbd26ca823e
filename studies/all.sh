#!/bin/sh
# All studies, one after the other, and how long each took.
set -eu
cd "$(dirname "$0")"
began=$(date +%s)
for study in S0 S1 S2 S3 S4; do
  start=$(date +%s)
  printf '\n# %s\n\n' "$study"
  $study/run.sh
  echo "$study: $(($(date +%s) - start)) s"
done
echo "all studies: $((($(date +%s) - began) / 60)) min"
