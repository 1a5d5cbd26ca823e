#!/bin/sh
# What `tacho probe` says of programs of which the truth is known, on this machine:
#
#     benches/probe.sh [ROUNDS] [METRIC]
#
# Builds the programs of benches/probe/ in a scratch folder and prints Markdown. `tacho` must be in
# PATH, or in TACHO. Addresses are fixed as usual (`setarch -R`): else the length of the environment
# matters to no program, since addresses move the stack farther.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tacho=${TACHO:-tacho}
rounds=${1:-30}
metric=${2:-cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cc -O1 -o plain "$here/probe/walk.c"
cc -O1 -DSENSITIVE -o moody "$here/probe/walk.c"

inside() {
	env -i PATH="$PATH" HOME="$work" PAD="$padding" ${TACHO_LOCK:+TACHO_LOCK="$TACHO_LOCK"} \
		setarch -R "$@"
}

# An environment with which the sensitive program is slow.
padding=
while ! inside "$tacho" bench --wait --quiet --rounds 1 --warmup 0 --no-random-environment \
	--show-output ./moody 2>/dev/null | grep -q '^slow'; do
	padding=${padding}$(head -c 256 /dev/zero | tr '\0' x)
	[ ${#padding} -lt 8192 ] || { echo 'error: it is never slow' >&2; exit 1; }
done

probe() {
	printf '\n## %s\n\n' "$1"
	shift
	printf '```text\ntacho probe --command -m %s -r %s' "$metric" "$rounds"
	for word in "$@"; do printf " '%s'" "$word"; done
	printf '\n```\n\n'
	status=0
	inside "$tacho" probe --command --wait --quiet --markdown -m "$metric" -r "$rounds" --seed 7 "$@" \
		>answer 2>notes || status=$?
	cat answer
	printf '\nExit status %s.\n' "$status"
	sed 's/^/    /' notes
}

printf 'PAD has %s bytes. ' ${#padding}
printf 'Load before: %s.\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
probe 'A program that does a third more' ./plain './plain 1.333'
probe 'A program that is slower with this length of the environment' ./plain ./moody
probe 'The same program twice' --only core,one-cpu,environment,nice ./plain ./plain
probe 'One program alone' ./plain
printf '\nLoad after: %s.\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
