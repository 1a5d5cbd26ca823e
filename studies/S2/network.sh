#!/bin/sh
# The network pair: throughput in both directions with 1 and 100 connections, and the highest rate
# of datagrams of which at most 1 % are lost, with what was received. Usage: network.sh TACHO FOLDER
# Prints Markdown; pages go to FOLDER. Exits with 77 where there are no network namespaces.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tacho=$1
folder=$2
pair=$here/pair.sh
rate=60
trap '"$pair" down' EXIT INT TERM

"$pair" up
echo 'Through a link without a limit, bytes in order (TCP), one second each:'
echo
"$tacho" sweep --wait --quiet --markdown --rounds 5 --maximise received -m 'received[Mbit/s]=iperf3:received' \
  --page "$folder/throughput.html" -P connections=1,100 -P way=forth,back --timeout 20s \
  "'$pair' tcp {way} {connections}"
"$pair" down

"$pair" up $rate
echo
echo "Datagrams through a link of $rate Mbit/s, headers included; a packet of 1448 bytes is 1490 there, so that"
echo "$(awk "BEGIN { printf \"%.1f\", $rate * 1448 / 1490 }") Mbit/s can be carried:"
for connections in 1 100; do
  for way in forth back; do
    echo
    echo "### $connections, $way"
    echo
    "$tacho" sweep --wait --quiet --markdown --highest-load rate=5.0..100.0 --log --trials 5 --keep 'loss<1%' \
      -m 'loss[%]=json:/end/sum/lost_percent' -m 'received[Mbit/s]=iperf3:received' --received received \
      --page "$folder/load-$connections-$way.html" --timeout 20s "'$pair' udp $way $connections {rate}" |
      sed -n '/^- /p'
  done
done
