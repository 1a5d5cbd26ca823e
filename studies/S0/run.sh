#!/bin/sh
# Study S0: pkgverify's earlier ways beside the present one on two workloads, the curve of the batch
# size, and others. Usage: run.sh     ROUNDS: the most rounds of a comparison (6); TACHO, PKGVERIFY:
# other programs. Numbers and pages go to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
. "$study/../lib/study.sh"
rounds=${ROUNDS:-6}

if [ ! -d /var/lib/dpkg/info ]; then
  echo 'error: this machine has no packages of Debian' >&2
  exit 2
fi
programs tacho pkgverify

# largest MOST: the package with the most files, but no more than MOST.
largest() {
  for sums in /var/lib/dpkg/info/*.md5sums; do
    echo "$(wc -l < "$sums") $(basename "$sums" .md5sums)"
  done | awk -v most="$1" '$1 <= most' | sort -rn | sed -n '1s/.* //p'
}

largest 10000000 > "$results/largest"
curve=$(largest 2000)
host "$(ls /var/lib/dpkg/info/*.list | wc -l) packages, $(cat /var/lib/dpkg/info/*.md5sums | wc -l) files with a sum" \
  "largest package: $(cat "$results/largest"); for the curve and the others: $curve"

compare() {
  "$tacho" compare --plan "$study/tacho.toml" --wait --quiet --markdown --metric wall,cpu --rounds "$rounds" "$@"
}
part 'Batches of 64 and of 1024, on two workloads' compare-batches \
  compare HEAD:way=--batch=64 HEAD:way=--batch=1024
part 'Batches of 1024 and in process, on the second workload' compare-in-process \
  compare -b largest HEAD:way=--batch=1024 HEAD:way=--way=in-process
"$tacho" site --quiet --plan "$study/tacho.toml" "$results/site" > "$results/site.log"

# 1 is a right answer: files differ from their sums on any real machine.
part 'The batch size' batch \
  "$tacho" sweep --wait --quiet --markdown --rounds 8 --warmup 1 --ignore-failure=1 --page "$results/batch.html" \
  -P batch=1,2,4..8192 --default batch=64 "${FIRST:-} $pkgverify --clean --batch {batch} $curve"

part 'What batches of 512 hold' batches verbatim python3 "$study/batches.py" "$curve" 512

if command -v debsums > /dev/null; then
  export TACHO="$tacho" PKGVERIFY="$pkgverify" ROUNDS="$rounds"
  part "Beside others, on $curve" others verbatim "$tree/studies/subjects/pkgverify/bench.sh" "$curve"
  part 'Beside others, on lib*' others-lib verbatim "$tree/studies/subjects/pkgverify/bench.sh" 'lib*'
else
  skip 'Beside others' 'debsums is not installed (apt-get install debsums)'
fi

part 'Planted damage' planted verbatim python3 "$study/planted.py" "$pkgverify"
finish
