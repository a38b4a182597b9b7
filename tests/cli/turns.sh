# timeless/turns-from: eager messages of this size and more share the adapter of their host in the LogGOPS engine, as all
# messages do in SimGrid.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
cd "$scratch" || exit 99

# Messages of 1 ms, links of 125 MB/s, 20 us from host to host, nothing else.
bytes=124984 latency=20e-6
platform_of 400000 0
cp platform/options.conf plain.conf
# makespan_of ENGINE FILE [OPTION...]
makespan_of() {
    { cat plain.conf; printf '%s\n' timeless/eager-order:yes "${@:3}"; } >platform/options.conf
    "$timeless" replay "$2" -p platform --ranks-per-host 1 -q --engine "$1"
}
takes() { near "$(makespan_of "$1" "$2" "${@:5}")" "$3 * $latency + $4 * 1e-3" 1e-4; }

# Rank 1 passes the first one on while the one to rank 3 is still coming.
messages apart.tl "0 1 $bytes" "0 3 $bytes" "1 2 $bytes"
messages one.tl "0 1 $bytes" "1 2 $bytes" "0 1 $bytes"
messages behind.tl "0 1 $bytes" "1 2 $bytes" "0 1 $bytes" "0 3 $bytes"
for engine in smpi loggops; do
    check "$engine: messages to two hosts share the adapter" takes $engine apart.tl 2 3
    check "$engine: those to one rank are on one connection" takes $engine one.tl 2 2
    check "$engine: one that waits for its connection takes no share" takes $engine behind.tl 2 3
done
check 'loggops: a message of the stated size shares' takes loggops apart.tl 2 3 timeless/turns-from:$bytes
check 'loggops: one below it does not' takes loggops apart.tl 2 2 timeless/turns-from:$((bytes + 1))
check 'loggops: 0: none does' takes loggops apart.tl 2 2 timeless/turns-from:0
check 'loggops: below the size of adapter-order, none does' takes loggops apart.tl 2 2 timeless/adapter-order:$((bytes + 1))
check 'loggops: the size that is stated holds' takes loggops apart.tl 2 3 timeless/adapter-order:$((bytes + 1)) \
    timeless/turns-from:$bytes
check 'smpi: all share, whatever is stated' takes smpi apart.tl 2 3 timeless/turns-from:$((bytes + 1))
for engine in smpi loggops; do
    check "$engine: a size that is no number exits 3, and is named" refused 3 \
        'timeless/turns-from:yes: the value is not a number; correct it' \
        makespan_of $engine apart.tl timeless/turns-from:yes
done
cp plain.conf platform/options.conf
"$timeless" replay apart.tl -p platform --ranks-per-host 1 --engine loggops >text
check 'the prediction states the size' grep -q 'messages of 4096 bytes and more share the adapter of a node' text

# Rank 0 sends random eager messages of many packets to all others, in rounds; all wait for the last one of each round.
python3 - >random <<'END'
import random
random.seed(1)
print("timeless-text 1\nranks 4")
lines = [[], [], [], []]
for _ in range(40):
    sizes = [(to, random.randrange(4096, 300000)) for to in random.choices((1, 2, 3), k=random.randrange(1, 7))]
    for to, size in sizes:
        lines[0].append(f"MPI_Send count={size} type_bytes=1 peer={to} tag=0 comm=1")
        lines[to].append(f"MPI_Recv count={size} type_bytes=1 peer=0 tag=0 comm=1")
    for rank in range(4):
        lines[rank].append("MPI_Barrier comm=1 clock_ns=0")
for rank in range(4):
    print(f'rank {rank} host="h{rank}"')
    for i, line in enumerate(lines[rank]):
        print(rank, i, line)
    print("end cut clock_ns=0")
END
"$timeless" undump random -o random.tl
engines_agree() { near "$(makespan_of smpi "$@")" "$(makespan_of loggops "$@")" 2e-3; }
check 'random messages take as long in both engines' engines_agree random.tl
tap_done
