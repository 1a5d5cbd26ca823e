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

bisect() {
  "$tacho" bisect --plan "$study/tacho.toml" --wait --quiet --markdown --budget "${BUDGET:-3m}" "$@" "$first" HEAD
}
# What the commits take of the processors does not depend on what else goes on; how long they take does. 3: the ends do
# not differ here and now; 4: the budget ended; 5: named and verified, but it depends on the machine.
statuses='0 3 4 5'
part 'Processor time: what the bisection names' cpu bisect -m cpu
part 'Wall time: what the bisection names, and whether it is the machine' wall bisect -m wall --min-effect 10% --probe
statuses=0
culprit=$(git -C "$study/history" log --format=%H --grep "Don't busy-wait")
part 'The commit and its parent' compare \
  "$tacho" compare --plan "$study/tacho.toml" --wait --quiet --markdown --metric wall,cpu --rounds 10 "$culprit^" "$culprit"
"$tacho" site --quiet --plan "$study/tacho.toml" "$results/site" > "$results/site.log"
finish
