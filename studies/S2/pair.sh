#!/bin/sh
# Two hosts and a cable, as network namespaces.
#
#   pair.sh up [MBIT]                    join them, at most MBIT Mbit/s each way (by `tc`)
#   pair.sh down                         take all away
#   pair.sh tcp forth|back NUMBER        a second of iperf3 with that many connections: JSON
#   pair.sh udp forth|back NUMBER RATE   six seconds of datagrams at RATE Mbit/s in all
#
# Exits with 77 where this cannot be had. Needs root, iproute2 and iperf3.
set -eu

client=tacho-pair-a
server=tacho-pair-b
link=tacho-pair-link

down() {
  for namespace in $client $server $link; do
    for process in $(ip netns pids $namespace 2> /dev/null); do kill "$process" 2> /dev/null || true; done
    ip netns del $namespace 2> /dev/null || true
  done
}

# join NAMESPACE DEVICE NETWORK LINK-DEVICE
join() {
  ip link add "$2" netns "$1" type veth peer name "$4" netns $link 2> /dev/null || return 1
  ip -n "$1" addr add "$3.2/24" dev "$2"
  ip -n $link addr add "$3.1/24" dev "$4"
  ip -n "$1" link set "$2" up
  ip -n $link link set "$4" up
  ip -n "$1" route add default via "$3.1"
}

# limit DEVICE RATE: what takes 25 ms waits at most. A hundred connections send at the same moments,
# which takes 20 ms.
limit() {
  bytes=$(($2 * 3125))
  tc -n $link qdisc replace dev "$1" root netem rate "${2}mbit" limit $((bytes / 1490 + 1)) 2> /dev/null ||
    tc -n $link qdisc replace dev "$1" root tbf rate "${2}mbit" burst 15000 limit "$bytes"
}

# What begins a command that other programs of this host must not hold up: they would lose packets.
first() {
  if command -v chrt > /dev/null && chrt -f 20 true 2> /dev/null; then echo 'chrt -f 20'; fi
}

up() {
  for program in ip tc iperf3; do
    command -v $program > /dev/null || { echo "skipped: there is no $program (apt-get install iproute2 iperf3)" >&2; exit 77; }
  done
  down
  ip netns add $client 2> /dev/null || { echo 'skipped: no network namespaces here' >&2; exit 77; }
  ip netns add $server
  ip netns add $link
  join $client tpair-a 10.78.1 tpair-la && join $server tpair-b 10.78.2 tpair-lb ||
    { down; echo 'skipped: no virtual links here' >&2; exit 77; }
  ip netns exec $link sysctl -q -w net.ipv4.ip_forward=1
  if [ -n "${1:-}" ]; then
    limit tpair-la "$1" && limit tpair-lb "$1" || { down; echo 'skipped: rates cannot be limited here' >&2; exit 77; }
  fi
  # shellcheck disable=SC2086 # words, or none
  $(first) ip netns exec $server iperf3 --server > /dev/null 2>&1 &
  tries=0
  until ip netns exec $client iperf3 -c 10.78.2.2 -t 1 > /dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 20 ] || { down; echo 'error: iperf3 does not answer' >&2; exit 1; }
    sleep 0.2
  done
}

# talk WAY NUMBER OPTION...
talk() {
  reverse=
  [ "$1" = forth ] || reverse=--reverse
  number=$2
  shift 2
  # shellcheck disable=SC2086 # words, or none
  exec $(first) ip netns exec $client iperf3 -c 10.78.2.2 -P "$number" $reverse --json "$@"
}

case ${1:-} in
up) up "${2:-}" ;;
down) down ;;
tcp) talk "$2" "$3" -t 1 ;;
# What the queue takes is sent and not lost: 0.4 % of six seconds. `--omit` would leave the
# beginning out, but iperf3 then counts what was lost in it all the same.
udp) talk "$2" "$3" -t 6 -u -l 1448 -b "$(awk "BEGIN { printf \"%d\", $4 * 1000 / $3 }")K" ;;
*) sed -n '2,9s/^# *//p' "$0" >&2; exit 2 ;;
esac
