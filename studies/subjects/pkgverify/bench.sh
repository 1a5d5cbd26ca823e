#!/bin/sh
# Measures pkgverify beside debsums and `dpkg --verify` on the same packages, interleaved, and
# prints the ratios. Usage: bench.sh [PACKAGE-PATTERN]     [default: all installed packages]
# TACHO and PKGVERIFY name the programs, ROUNDS how often each is executed.
set -eu

here=$(cd "$(dirname "$0")/../../.." && pwd)
tacho=${TACHO:-$here/target/release/tacho}
pkgverify=${PKGVERIFY:-$here/target/release/pkgverify}
rounds=${ROUNDS:-10}

for program in "$tacho" "$pkgverify" debsums dpkg; do
  if ! command -v "$program" >/dev/null; then
    echo "error: \`$program\` is missing" >&2
    echo 'hint: cargo build --release -p tacho -p pkgverify; apt-get install debsums' >&2
    exit 2
  fi
done

# The others take names, not patterns.
names=
if [ $# -gt 0 ]; then
  names=$(dpkg-query -W -f '${db:Status-Abbrev}${binary:Package}\n' "$1" | sed -n 's/^ii //p' | tr '\n' ' ')
  if [ -z "$names" ]; then
    echo "error: no installed package matches \`$1\`" >&2
    exit 2
  fi
fi

# Findings are no failure of the programs: 1 (pkgverify, dpkg) and 2 (debsums). -a: conffiles too,
# as the others.
"$tacho" bench --wait --rounds "$rounds" --warmup 1 --ignore-failure=1,2 \
  --reference-name pkgverify --reference "$pkgverify --clean $names" \
  -n debsums "debsums --all --silent $names" \
  -n dpkg "dpkg --verify $names"
