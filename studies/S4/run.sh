#!/bin/sh
# Study S4: a bisection names the commit that stopped a busy wait; experiments with the machine
# question it. Usage: run.sh     TACHO: another program. Numbers and pages go to results/.
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
# shows NAME PATTERN...: fails unless the part has what is matched by each.
shows() {
  file=$results/$1.md
  shift
  for text in "$@"; do
    # Lines are joined: where one is broken does not matter.
    tr '\n' ' ' < "$file" | grep -q -e "$text" || {
      echo "error: $name: \`$file\` has no: $text" >&2
      exit 1
    }
  done
}

# What the commits take of the processors does not depend on what else goes on; how long they take
# does. 3: the ends do not differ here and now; 4: the budget ended; 5: named and verified, but it
# depends on the machine.
statuses='0 3 4 5'
part 'Processor time: what the bisection names' cpu bisect -b testcase -m cpu
part 'Wall time: what the bisection names, and whether it is the machine' wall \
  bisect -b testcase -m wall --min-effect 10% --probe
statuses=0
culprit=$(git -C "$study/history" log --format=%H --grep "Don't busy-wait")
part 'The commit and its parent' compare \
  "$tacho" compare --plan "$study/tacho.toml" --wait --quiet --markdown --benchmark testcase \
  --metric wall,cpu --rounds 10 "$culprit^" "$culprit"

# On the simulated host the story comes out on any machine, or this script fails.
# 5: it depends on the machine.
cc -O2 -Wall -o "$results/boost" "$study/boost.c"
statuses=5
part 'A simulated host: what the bisection names, and that it is the machine' simulated \
  bisect -b simulated-host -m wall --min-effect 10% --probe
shows simulated "[*][*]$(echo "$culprit" | cut -c1-10) " 'core .*busy (processor [0-9]*): gone'
part 'A simulated host: the commit and its parent, questioned' probe \
  "$tacho" probe --plan "$study/tacho.toml" --wait --quiet --markdown -b simulated-host \
  --only core,environment,addresses,nice "$culprit^" "$culprit"
cell='[^|]*|'
shows probe "| core |$cell$cell$cell$cell gone |" 'depends on the clock frequency'
"$tacho" site --quiet --plan "$study/tacho.toml" "$results/site" > "$results/site.log"
finish
