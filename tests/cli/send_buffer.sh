# timeless/send-buffer: a blocking send of a long message is over when no more is left than buffers hold.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
cd "$scratch" || exit 99

# Links of 125 MB/s, 20 us from host to host, nothing else.
platform_of 65536 1e-3
# ends FILE BUFFER RANK MILLISECONDS [OPTION...]: the rank's end, to what the sender may be late
ends() {
    "$timeless" replay "$1" -p platform --ranks-per-host 1 -q --json=p.json --cfg timeless/send-buffer:"$2" "${@:5}" >makespan &&
        python3 -c 'import json, sys; p = json.load(open("p.json")); got = 1e3 * p["ranks"][int(sys.argv[1])]["end_s"]
print(got); sys.exit(abs(got - float(sys.argv[2])) > 0.01)' "$3" "$4"
}

messages one.tl '0 1 1000000' # 8 ms
check 'without a buffer the sender waits for the end' ends one.tl 0 0 8.02
check 'with one of a byte, too' ends one.tl 1 0 8.02
check 'two milliseconds in the buffer' ends one.tl 250000 0 6.02
check 'the receiver gets it as before' ends one.tl 250000 1 8.02
check 'all but what comes with the question' ends one.tl 1e9 0 0.544
# as CALL: the same by another call
as() { "$timeless" dump one.tl | sed "s/MPI_Send/MPI_$1/" | "$timeless" undump - -o other.tl; }
check 'a ready send' as Rsend
check '... ends as early as a standard one' ends other.tl 250000 0 6.02
messages short.tl '0 1 60000' '0 1 60000'
check 'short ones are as before' ends short.tl 250000 1 0.98
messages late.tl '2 1 1000000' '0 1 1000000'
check 'a receiver that comes late' ends late.tl 250000 0 14.04
check 'gets all later' ends late.tl 250000 1 16.04
messages shared.tl "0 1 1000000" "0 3 1000000"
check 'one that follows shares the link with what is in the buffer' ends shared.tl 250000 0 14.02
messages local.tl '0 1 1000000'
check 'within a host nothing changes' ends local.tl 250000 0 8.02 --ranks-per-host 2
# SimGrid 3.32 has no bound of flows then; 4.0 has one.
without_bound() {
    ends one.tl 250000 0 6.02 --cfg network/TCP-gamma:0 2>said ||
        { [ $? = 3 ] && grep -q 'timeless/send-buffer has no effect .*set network/TCP-gamma:1e15' said; }
}
check 'network/TCP-gamma:0: the buffer has its effect, or is refused, with the remedy' without_bound
check 'without a buffer, nothing is refused' ends one.tl 0 0 8.02 --cfg network/TCP-gamma:0
# ---- one that nobody receives ----
"$timeless" undump - -o never.tl <<'END'
timeless-text 1
ranks 2
rank 0 host="h0"
0 0 MPI_Send count=1000000 type_bytes=1 peer=1 tag=0 comm=1
end cut clock_ns=0
rank 1 host="h1"
end cut clock_ns=0
END
check 'a send without a receive is named' ends_with 3 'rank 0.*MPI_Send' ends never.tl 250000 0 8
check 'a timeline of sends that are over early' "$timeless" replay late.tl -p platform --ranks-per-host 1 -q \
    --cfg timeless/send-buffer:250000 --timeline late.paje
check 'is written' test -s late.paje

# ---- the engine loggops, which derives its network from the same options ----
# loggops FILE BUFFER RANK MILLISECONDS [OPTION...]: as `ends`. A question that comes before its receiver has done a part of its
# message's latency by then, up to a third.
loggops() {
    rm -rf other && cp -r platform other && echo "timeless/send-buffer:$2" >>other/options.conf
    "$timeless" replay "$1" -p other --engine loggops --ranks-per-host 1 -q --json=p.json "${@:5}" >makespan &&
        python3 -c 'import json, sys; p = json.load(open("p.json")); got = 1e3 * p["ranks"][int(sys.argv[1])]["end_s"]
print(got); sys.exit(abs(got - float(sys.argv[2])) > 0.01)' "$3" "$4"
}
check 'loggops: without a buffer the sender waits for the end' loggops one.tl 0 0 8.02
check 'loggops: two milliseconds in the buffer' loggops one.tl 250000 0 6.02
check 'loggops: the receiver gets it as before' loggops one.tl 250000 1 8.02
check 'loggops: all but what comes with the question' loggops one.tl 1e9 0 0.544
check 'loggops: a ready send' as Rsend
check '... ends as early as a standard one' loggops other.tl 250000 0 6.02
check 'loggops: a synchronous send' as Ssend
check '... waits for the end' loggops other.tl 250000 0 8.02
check 'loggops: short ones are as before' loggops short.tl 250000 1 0.98
check 'loggops: a receiver that comes late' loggops late.tl 250000 0 14.04
check 'loggops: gets all later' loggops late.tl 250000 1 16.04
check 'loggops: one that follows shares the link with what is in the buffer' loggops shared.tl 250000 0 14.02
check 'loggops: within a host nothing changes' loggops local.tl 250000 0 8.02 --ranks-per-host 2
check_exit 3 'loggops: a send without a receive exits 3' loggops never.tl 250000 0 8
for wrong in x -1 12k nan; do check_exit 3 "loggops: not a number of bytes: $wrong" loggops one.tl $wrong 0 8; done
cp "$scratch/err" said
check 'is said, too, with the file' grep -q 'options.conf: option timeless/send-buffer:nan: not a number of bytes; correct' said

for wrong in x -1 12k nan; do check_exit 3 "not a number of bytes: $wrong" ends one.tl $wrong 0 8; done
cp "$scratch/err" said
check 'is said' grep -q 'timeless/send-buffer:nan: not a number of bytes' said
tap_done
