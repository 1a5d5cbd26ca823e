#!/bin/sh
# Study S4: a bisection names the commit that stopped a busy wait; experiments with the machine question it.
# Usage: run.sh     TACHO: another program. Numbers and pages go to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
. "$study/../lib/study.sh"
programs tacho
[ -d "$study/history" ] || "$study/make-history.sh" "$study/history" > "$results/history.log"
first=$(git -C "$study/history" rev-list --max-parents=0 HEAD)
host "turbo: $(cat /sys/devices/system/cpu/intel_pstate/no_turbo /sys/devices/system/cpu/cpufreq/boost 2> /dev/null || echo 'not shown to this host')"

# 5: named and verified, but it depends on the machine. That is what is to be seen on a machine that boosts.
statuses='0 5'
part 'What the bisection names' bisect \
  "$tacho" bisect --plan "$study/tacho.toml" --wait --quiet --markdown --budget "${BUDGET:-5m}" --probe "$first" HEAD
statuses=0
culprit=$(git -C "$study/history" log --format=%H --grep "Don't busy-wait")
part 'The commit and its parent' compare \
  "$tacho" compare --plan "$study/tacho.toml" --wait --quiet --markdown --rounds 10 "$culprit^" "$culprit"
"$tacho" site --quiet --plan "$study/tacho.toml" "$results/site" > "$results/site.log"
finish
