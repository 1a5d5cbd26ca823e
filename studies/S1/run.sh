#!/bin/sh
# Study S1: tarcheck's ways against their floor and `tar`, their memory on a large archive, and
# faster ways to read. Usage: run.sh     ROUNDS: how often each way is executed (12); ARCHIVE: a
# tar.gz to check; TACHO, TARCHECK. Numbers and pages go to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
. "$study/../lib/study.sh"
rounds=${ROUNDS:-12}
programs tacho tarcheck

# Real source code that is on any machine where this workspace was built: crates, and headers if
# there are any.
sources=${CARGO_HOME:-$HOME/.cargo}/registry
if [ -z "${ARCHIVE:-}" ]; then
  ARCHIVE=$results/sources.tar.gz
  [ -e "$ARCHIVE" ] || tar -cf - -C "$sources" src -C /usr include | gzip -6 > "$ARCHIVE"
fi
host "$("$tarcheck" --way just-reading "$ARCHIVE" 2>&1 | tail -n 1)"

# check WAY OPTION...: a command line.
check() {
  way=$1
  shift
  echo "${FIRST:-} $tarcheck -q --fail-on never --way $way $* '$ARCHIVE'"
}
sweep() { "$tacho" sweep --wait --quiet --markdown -N --warmup 1 "$@"; }

part 'The ways against just reading' ways \
  sweep --rounds "$rounds" --page "$results/ways.html" --floor 'just reading' \
  -n 'just reading' "$(check just-reading)" -n 'in sequence' "$(check sequential)" \
  -n 'all read first' "$(check read-all)" -n 'unbounded queue' "$(check unbounded)" \
  -n 'bounded pipeline' "$(check bounded --no-ahead)" -n 'bounded, unpacking ahead' "$(check bounded --ahead)" \
  -n 'tar -t' "${FIRST:-} tar -tf '$ARCHIVE'"

part 'Below the floor of the story: other ways to read' reading \
  sweep --rounds "$rounds" --page "$results/reading.html" --floor 'miniz_oxide, as in the story' \
  -n 'miniz_oxide, as in the story' "$(check just-reading --inflate miniz)" \
  -n 'zlib-rs' "$(check just-reading)" -n 'zlib-rs, ahead' "$(check just-reading --ahead)" \
  -n 'libdeflate, all in memory' "$(check just-reading --inflate libdeflate)"

# phases WAY: seconds of the reading thread and of all checks.
phases() {
  for round in 1 2 3 4 5 6 7; do
    for way in just-reading bounded; do
      "$tarcheck" -q --fail-on never --no-ahead --stats --way $way "$ARCHIVE" 2>&1 | sed -n "s/^cpu-/$way: cpu-/p"
    done
  done
}
part 'Processor time of the reading thread and of the checks' phases verbatim phases

# stranger: as a user would, on the three largest source archives that the registry of crates left
# here.
stranger() {
  for crate in $(ls -S "$sources"/cache/*/*.crate | head -n 3); do
    "$tarcheck" --fail-on never "$crate" 2>&1 | sed "s,$sources/cache/[^/]*/,," | tail -n 8
  done
}
part 'Three published source archives' stranger verbatim stranger

large=$results/large.tar.gz
if [ ! -e "$large" ]; then
  # Members of gzip may follow each other; of each tar archive, the 1,024 zeros at its end are left
  # out.
  for copy in 1 2 3 4 5 6; do
    tar -b1 -cf - --transform "s,^,copy$copy/," -C "$sources" src -C /usr include | head -c -1024 | gzip -1
  done > "$large"
fi
ARCHIVE=$large
part 'Time and memory on more than 1 GB' large \
  sweep --rounds 4 --page "$results/large.html" --floor 'just reading' -n 'just reading' "$(check just-reading)" \
  -n 'in sequence' "$(check sequential)" -n 'all read first' "$(check read-all)" \
  -n 'unbounded queue' "$(check unbounded)" -n 'bounded pipeline' "$(check bounded --no-ahead)" \
  -n 'bounded, unpacking ahead' "$(check bounded --ahead)"
finish
