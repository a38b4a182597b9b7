# timeless/eager-order: eager messages from one rank to another go one after the other, all others share.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
cd "$scratch" || exit 99

# Messages of 1 ms, links of 125 MB/s, 20 us from host to host, nothing else.
bytes=124984 latency=20e-6
platform_of 200000 0
makespan_of() { "$timeless" replay "$1" -p platform --ranks-per-host 1 -q --cfg timeless/eager-order:"$2" "${@:3}"; }
takes() { near "$(makespan_of "$1" "$2" "${@:5}")" "$3 * $latency + $4 * 1e-3" 1e-6; }

# Rank 1 passes the first one on while the second one is still coming.
messages two.tl "0 1 $bytes" "1 2 $bytes" "0 1 $bytes"
check 'two messages share the link' takes two.tl no 2 3
check 'or the second one begins when the first one is through' takes two.tl yes 2 2
messages many.tl "0 1 $bytes" "0 1 $bytes" "0 1 $bytes" "0 1 $bytes" "0 1 $bytes" "0 1 $bytes"
check 'all arrive when they arrived' takes many.tl no 1 6
check 'in both orders: latencies overlap' takes many.tl yes 1 6
# A message whose receive is posted, with room for a long one, takes another way through SMPI.
"$timeless" undump - -o posted.tl <<END
timeless-text 1
ranks 4
rank 0 host="h0"
0 0 MPI_Recv count=$bytes type_bytes=1 peer=1 tag=0 comm=1
0 1 MPI_Send count=$bytes type_bytes=1 peer=1 tag=0 comm=1
0 2 MPI_Send count=$bytes type_bytes=1 peer=1 tag=0 comm=1
end cut clock_ns=0
rank 1 host="h1"
1 0 MPI_Irecv count=300000 type_bytes=1 peer=0 tag=0 comm=1 request=1
1 1 MPI_Send count=$bytes type_bytes=1 peer=0 tag=0 comm=1
1 2 MPI_Wait request=1
1 3 MPI_Send count=$bytes type_bytes=1 peer=2 tag=0 comm=1
1 4 MPI_Recv count=$bytes type_bytes=1 peer=0 tag=0 comm=1
end cut clock_ns=0
rank 2 host="h2"
2 0 MPI_Recv count=$bytes type_bytes=1 peer=1 tag=0 comm=1
end cut clock_ns=0
rank 3 host="h3"
end cut clock_ns=0
END
check 'one whose receive is posted shares' takes posted.tl no 3 4
check 'or comes before one whose receive is not' takes posted.tl yes 3 3
messages receivers.tl "0 1 $bytes" "0 3 $bytes" "1 2 $bytes"
check 'messages to two receivers share' takes receivers.tl yes 2 3
messages senders.tl "0 1 $bytes" "1 2 $bytes" "3 1 $bytes"
check 'messages of two senders to one rank share the link' takes senders.tl no 2 3
check 'in order, too' takes senders.tl yes 2 3
messages behind.tl "0 1 $bytes" "0 1 $bytes" "1 2 $bytes" "2 3 $bytes" "0 1 $bytes"
check 'a third one waits for the second one' takes behind.tl yes 3 4
messages later.tl "0 1 $bytes" "1 2 $bytes" "2 0 $bytes" "0 1 $bytes"
check 'none waits for one that is through' takes later.tl yes 4 4
"$timeless" undump - -o long.tl <<END
timeless-text 1
ranks 4
rank 0 host="h0"
0 0 MPI_Isend count=$bytes type_bytes=1 peer=1 tag=0 comm=1 request=1
0 1 MPI_Isend count=$bytes type_bytes=1 peer=1 tag=0 comm=1 request=2
0 2 MPI_Wait request=1
0 3 MPI_Wait request=2
end cut clock_ns=0
rank 1 host="h1"
1 0 MPI_Irecv count=$bytes type_bytes=1 peer=0 tag=0 comm=1 request=1
1 1 MPI_Irecv count=$bytes type_bytes=1 peer=0 tag=0 comm=1 request=2
1 2 MPI_Wait request=1
1 3 MPI_Send count=$bytes type_bytes=1 peer=2 tag=0 comm=1
1 4 MPI_Wait request=2
end cut clock_ns=0
rank 2 host="h2"
2 0 MPI_Recv count=$bytes type_bytes=1 peer=1 tag=0 comm=1
end cut clock_ns=0
rank 3 host="h3"
end cut clock_ns=0
END
check 'those that wait for their receiver share' takes long.tl yes 2 3 --cfg smpi/async-small-thresh:1000 \
    --cfg smpi/send-is-detached-thresh:1000
check 'those without latency are in order' takes two.tl yes 0 2 --cfg smpi/lat-factor:0:0
check 'the same with full updates' takes two.tl yes 2 2 --cfg network/optim:Full
# Long messages that have less latency do not come before a short one, nor hold the adapter that it has to pass.
messages short.tl "0 1 4" "1 2 $bytes" "0 1 $bytes"
fast=(--cfg 'smpi/lat-factor:0:1;1000:0.5')
check 'a short message comes before a long one with less latency' takes short.tl yes 1.5 1.00016 "${fast[@]}"
cp -r platform fast
echo 'smpi/lat-factor:0:1;1000:0.5' >>fast/options.conf
same_time() {
    awk -v a="$(makespan_of short.tl yes "${fast[@]}")" \
        -v b="$("$timeless" replay short.tl -p fast --ranks-per-host 1 -q --engine loggops)" \
        'BEGIN { print a, b; d = a / b - 1; exit !(d < 1e-6 && d > -1e-6) }'
}
check 'with the engine loggops, too' same_time

check 'an eager-order that is neither yes nor no exits 3: an eager-order that is neither yes nor no is named' refused 3 \
    'timeless/eager-order:perhaps: the value is not yes or no' \
    makespan_of two.tl perhaps
tap_done
