#!/bin/sh
# Study S2: fifteen months of a program with quirks, from releases to months, weeks and commits;
# what its layout does; and a network pair. Usage: run.sh     TACHO: another program. Numbers and
# pages go to results/.
set -eu

study=$(cd "$(dirname "$0")" && pwd)
. "$study/../lib/study.sh"
programs tacho
[ -d "$study/history" ] || python3 "$study/make-history.py" "$study/history" > "$results/history.log"
host "$(cc --version | head -n 1)" "$(git -C "$study/history" rev-list --count HEAD) commits of fifteen months"
lab() {
  command=$1
  shift
  "$tacho" "$command" --plan "$study/tacho.toml" --quiet "$@"
}

part 'What old revisions need' quirks verbatim lab quirk check
part 'Releases' releases verbatim lab track --wait --tags '6.*' 6.0..6.3
part 'Months' months verbatim lab track --wait --every 1month 6.0..6.3
# 1: a change for the worse has no word of a user yet.
statuses='0 1'
part 'What months show' changes-months lab changes --markdown
statuses=0
weeks() { lab track --wait --every 1w 6.0..6.3 | tail -n 1; }
part 'Weeks' weeks weeks
statuses='0 1'
part 'What weeks show' changes-weeks lab changes --markdown
part 'Both sides of each change, measured again' confirm verbatim lab changes --confirm --wait
statuses=0
part 'Beside the commits that are known to change the speed' truth \
  sh -c "'$tacho' changes --plan '$study/tacho.toml' --all --json | python3 '$study/truth.py' '$study/history' '$study/truth.txt'"
if command -v mold > /dev/null || command -v ld.lld > /dev/null; then
  part 'One source in eight layouts: the three bands' layouts verbatim lab layouts --wait 6.3 -n 8 -r 8
else
  skip 'One source in eight layouts: the three bands' 'neither mold nor lld is installed (apt-get install mold)'
fi
lab site "$results/site" > "$results/site.log"

"$study/network.sh" "$tacho" "$results" > "$results/pair.md" 2> "$results/pair.log" && status=0 || status=$?
case $status in
0) part 'The network pair' network cat "$results/pair.md" ;;
77) skip 'The network pair' "$(cat "$results/pair.log")" ;;
*) cat "$results/pair.log" >&2; exit 2 ;;
esac
finish
