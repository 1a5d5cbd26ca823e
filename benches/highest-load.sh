#!/bin/sh
# Whether `tacho sweep --highest-load` finds the rate of a link, which `tc netem` sets (`tc tbf`
# where the kernel has no netem; the first line says which): both directions between two network
# namespaces, with a third one between them as the link, 20 times, at rates from 20 to 80. Prints
# the found rate beside the set one, and fails where one is farther off than 2 %, or took longer
# than 60 s.
#
#   benches/highest-load.sh [path of tacho] [times]
#
# Needs root, iperf3 and iproute2. Exits with 77 where namespaces cannot be made.
set -eu

tacho=${1:-target/release/tacho}
times=${2:-20}
client=tacho-load-a
server=tacho-load-b
link=tacho-load-link
# A packet of iperf3 is 1448 bytes; the kernel counts UDP's, IP's and Ethernet's headers too.
wire=1490
payload=1448
# Seconds of a trial.
length=${LENGTH:-2}

for program in ip tc iperf3 awk; do
    command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done

# What else goes on here must not lose packets.
first=
if command -v chrt >/dev/null && chrt -f 20 true 2>/dev/null; then first="chrt -f 20"; fi

cleanup() {
    [ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
    ip netns del $client 2>/dev/null || true
    ip netns del $server 2>/dev/null || true
    ip netns del $link 2>/dev/null || true
}
trap cleanup EXIT INT TERM

ip netns add $client 2>/dev/null || { echo "skipped: no network namespaces here"; exit 77; }
ip netns add $server
ip netns add $link
# The link forwards: a queue of the sender's own would make it wait, and nothing would be lost.
join() {
    ip link add "$2" netns "$1" type veth peer name "$4" netns $link 2>/dev/null || return 1
    ip -n "$1" addr add "$3.2/24" dev "$2"
    ip -n $link addr add "$3.1/24" dev "$4"
    ip -n "$1" link set "$2" up
    ip -n $link link set "$4" up
    ip -n "$1" route add default via "$3.1"
}
join $client tload-a 10.77.1 tload-la && join $server tload-b 10.77.2 tload-lb ||
    { echo "skipped: no virtual links here"; exit 77; }
ip netns exec $link sysctl -q -w net.ipv4.ip_forward=1
# limits NAMESPACE DEVICE RATE: at most so many Mbit/s, and what takes 10 ms waits at most. A longer
# queue would hide that more is sent, a shorter one loses packets whenever iperf3 waits for a
# processor.
limits() {
    bytes=$(awk "BEGIN { printf \"%d\", $3 * 1250 }")
    if [ $shaper = netem ]; then
        ip netns exec "$1" tc qdisc replace dev "$2" root netem rate "${3}mbit" limit $((bytes / 1490 + 1))
    else
        ip netns exec "$1" tc qdisc replace dev "$2" root tbf rate "${3}mbit" burst 15000 limit "$bytes"
    fi
}
shaper=netem
if ! limits $link tload-lb 50 2>/dev/null; then
    shaper=tbf
    limits $link tload-lb 50 2>/dev/null || { echo "skipped: no netem and no tbf here"; exit 77; }
fi
echo "rates are set by tc $shaper"
$first ip netns exec $server iperf3 --server >/dev/null 2>&1 &
pid=$!
tries=0
until ip netns exec $client iperf3 -c 10.77.2.2 -t 1 >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 20 ] || { echo "iperf3 does not answer"; exit 1; }
    sleep 0.2
done

echo "direction  set [Mbit/s]  found  off by  received  trials  seconds"
number=0
failed=0
while [ $number -lt "$times" ]; do
    number=$((number + 1))
    # Multiples of the golden ratio are spread evenly, and are no pattern that a search has.
    set_rate=$(awk -v n=$number 'BEGIN { x = n * 0.618034; printf "%.1f", 20 + 60 * (x - int(x)) }')
    if [ $((number % 2)) -eq 1 ]; then way=forth reverse=; else way=back reverse=--reverse; fi
    limits $link tload-lb "$set_rate"
    limits $link tload-la "$set_rate"
    began=$(date +%s.%N)
    answer=$("$tacho" sweep --quiet --json --seed $number --highest-load rate=5.0..100.0 --log --trials ${TRIALS:-5} \
        --keep 'loss<0.4%' -m 'loss[%]=json:/end/sum/lost_percent' \
        -m 'carried[Mbit/s]=iperf3:received' --received carried --timeout 20s \
        "$first ip netns exec $client iperf3 -c 10.77.2.2 -u -b {rate}M -t $length -l $payload --json $reverse")
    ended=$(date +%s.%N)
    line=$(printf '%s' "$answer" | awk -v way=$way -v set_rate="$set_rate" -v began="$began" -v ended="$ended" \
        -v factor="$(awk "BEGIN { print $wire / $payload }")" '
        /"highest":/ { gsub(/[^0-9.]/, "", $2); highest = $2 }
        /^ *"received":/ && !seen { gsub(/[^0-9.]/, "", $2); received = $2; seen = 1 }
        /^ *"trials": *[0-9]/ && !trials { gsub(/[^0-9]/, "", $2); trials = $2 }
        END {
            found = highest * factor
            off = 100 * (found / set_rate - 1)
            bad = off > 2 || off < -2 || ended - began > 60
            printf "%-9s  %12.1f  %5.1f  %+5.1f %%  %8.1f  %6d  %7.1f%s\n", way, set_rate, found, off,
                received, trials, ended - began, bad ? "  FAILED" : ""
        }')
    echo "$line"
    case $line in *FAILED) failed=$((failed + 1)) ;; esac
done
echo "$((times - failed)) of $times within 2 %"
[ $failed -eq 0 ]
