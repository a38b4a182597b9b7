#!/usr/bin/env bash
# Messages of one sender match in the order in which they were sent, whatever their sizes, in the LogGOPS engine as in SimGrid.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# relay FILE TAG BYTES TAG BYTES TAG TAG: rank 0 sends two messages to rank 1, which receives them by these tags, and after the
# first one sends a byte to rank 2
relay() {
    "$timeless" undump - -o "$1" <<END
timeless-text 1
ranks 4
rank 0 host="h0"
0 0 MPI_Send count=$3 type_bytes=1 peer=1 tag=$2 comm=1
0 1 MPI_Send count=$5 type_bytes=1 peer=1 tag=$4 comm=1
end cut clock_ns=0
rank 1 host="h1"
1 0 MPI_Recv count=1000000 type_bytes=1 peer=0 tag=$6 comm=1
1 1 MPI_Send count=1 type_bytes=1 peer=2 tag=0 comm=1
1 2 MPI_Recv count=1000000 type_bytes=1 peer=0 tag=$7 comm=1
end cut clock_ns=0
rank 2 host="h2"
2 0 MPI_Recv count=1 type_bytes=1 peer=1 tag=0 comm=1
end cut clock_ns=0
rank 3 host="h3"
end cut clock_ns=0
END
}
# ends ENGINE FILE OPTION...: when ranks 1 and 2 end
ends() {
    "$timeless" replay "$2" --engine "$1" -q "${@:3}" --json=ends.json >out &&
        json ends.json 'print(*(rank["end_s"] for rank in d["ranks"][1:3]))'
}
# both FILE SECONDS OPTION...: rank 2 ends then in LogGOPS, with one thread and two, and within 0.1 % in SimGrid
both() {
    local smpi one two
    smpi=$(ends smpi "$1" "${@:3}") && one=$(ends loggops "$1" "${@:3}" --threads 1) &&
        two=$(ends loggops "$1" "${@:3}" --threads 2) || return 1
    awk -v smpi="$smpi" -v one="$one" -v two="$two" -v want="$2" 'BEGIN {
        print "SimGrid", smpi, "LogGOPS", one, "with two threads", two, "wanted", want
        split(smpi, s); split(one, l)
        exit !(one == two && (l[2] / want - 1) ^ 2 < 1e-10 && (s[2] / want - 1) ^ 2 < 1e-6) }'
}
# A byte takes 20 us and 8 ns, from host to host and within a host, and SMPI's envelope has 16 bytes.
after() { awk -v n="$1" 'BEGIN { printf "%.12g", 2 * 20e-6 + (n + 1 + 2 * 16) * 8e-9 }'; }
platform_of 400000 0

relay request.tl 0 300000 0 1000000 0 0
check 'a message that waits for its receive does not overtake a shorter one' both request.tl "$(after 300000)" -p platform \
    --ranks-per-host 1
check 'neither within a host' both request.tl "$(after 300000)" -p platform --ranks-per-host 2
relay short.tl 0 300000 0 1 0 0
check 'a short message does not overtake a long one' both short.tl "$(after 300000)" -p platform --ranks-per-host 1
check 'neither within a host' both short.tl "$(after 300000)" -p platform --ranks-per-host 2
relay tags.tl 1 300000 2 1 1 2
check 'the receive of one tag takes the long one' both tags.tl "$(after 300000)" -p platform --ranks-per-host 2
relay other.tl 1 300000 2 1 2 1
other() { ends loggops other.tl -p platform --ranks-per-host 2 |
    awk -v want="$(after 1)" '{ print $2, want; exit !(($2 / want - 1) ^ 2 < 1e-10) }'; }
check 'that of the other tag does not wait for it' other

engines_near() {
    local smpi loggops
    smpi=$(ends smpi request.tl "$@") && loggops=$(ends loggops request.tl "$@") || return 1
    awk -v smpi="$smpi" -v loggops="$loggops" 'BEGIN {
        print "SimGrid", smpi, "LogGOPS", loggops
        split(smpi, s); split(loggops, l)
        for (i = 1; i <= 2; i++) if ((l[i] / s[i] - 1) ^ 2 > 0.05 ^ 2) exit 1 }'
}
for platform in graphene dahu star-1g; do
    check "$platform: both ranks end within 5 % of SimGrid" engines_near -p "$platform" --ranks-per-host 1
done
tap_done
