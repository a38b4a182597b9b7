# comparable.sh - compare uses a recording's clock only where the recording says that it is comparable.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

# A run of two ranks as text; the words given are lines of its header, `clock` stands in the part of rank 1.
text() {
    printf 'timeless-text 1\nranks 2\nvolume_unit "none"\n'
    printf '%s\n' "$@"
    local rank clock=${clock-}
    for rank in 0 1; do
        printf 'rank %d host="h"\n' $rank
        [ $rank = 0 ] || printf '%s' "$clock${clock:+
}"
        printf '%d 0 MPI_Init clock_ns=0 volume=0\n%d 1 MPI_Barrier comm=1 clock_ns=1000 volume=0\n' $rank $rank
        printf '%d 2 MPI_Finalize clock_ns=5000000000 volume=0\nend finalized clock_ns=5000000000\n' $rank
    done
}
# trace NAME HEADER...: NAME.tl, and its prediction NAME.json
trace() {
    local name=$1; shift
    text "$@" | "$timeless" undump - -o "$name.tl" &&
        "$timeless" replay "$name.tl" --engine loggops --params $params --json="$name.json" -q >/dev/null
}
# not_comparable NAME REASON: refused with --tolerance, marked without it, not asked for with --measured
not_comparable() {
    local name=$1 reason=$2
    check "$name: info prints the reason" bash -c "'$timeless' info $name.tl | grep -Eq '^clock +not comparable: $reason\$'"
    check "$name: compare with --tolerance exits with 5, and prints the reason" ends_with 5 \
        "~^timeless: $name.tl: the clock of the recording is not comparable: $reason; give " \
        "$timeless" compare --all $name.json --tolerance 10%
    check "$name: without --tolerance it exits with 0" "$timeless" compare --all $name.json
    cp out said
    check "$name: and marks the table" says "~^The clock of the recording is not comparable: $reason\." said
    check "$name: and the JSON" bash -c "'$timeless' compare --all --json $name.json | grep -Eq '\"clock\": \"$reason\"'"
    echo 'makespan,1' >$name.csv
    check_exit 1 "$name: measurements are compared with --tolerance" "$timeless" compare $name.json --measured $name.csv --tolerance 10%
}

trace good || exit 99
check 'info prints that a clock is comparable' prints '~^clock +comparable$' "$timeless" info good.tl
check_exit 1 'a comparable clock is compared with --tolerance' "$timeless" compare --all good.json --tolerance 10%
check 'a comparable clock: the JSON has the result' prints '"clock": "comparable"' "$timeless" compare --all --json good.json
trace folded 'folding "64 ranks on 2 cores"' || exit 99
not_comparable folded '64 ranks on 2 cores'
trace emulated 'volume_source "exact:qemu"' || exit 99
not_comparable emulated 'the ranks ran in an emulator \(exact:qemu\)'
clock='clock "it waited for a core"' trace overloaded || exit 99
not_comparable overloaded 'rank 1: it waited for a core'

# What is made of a trace keeps the reason.
"$timeless" cut overloaded.tl --section 0 -o part.tl
"$timeless" pack overloaded.tl -o packed.tl
for name in part packed; do
    check "$name: the reason is kept" bash -c \
        "'$timeless' info $name.tl | grep -Eq '^clock +not comparable: rank 1: it waited for a core\$'"
done
# A prediction of an earlier version has no such key.
python3 -c 'import json; p = json.load(open("folded.json")); del p["clock"]; json.dump(p, open("old.json", "w"))'
check_exit 1 'a prediction without the key is compared' "$timeless" compare --all old.json --tolerance 10%

# Recordings: more ranks than cores; a rank that shares its core with a busy loop; a rank that sleeps.
cat >work.c <<'END'
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    struct timespec now, nap = {1, 500000000};
    MPI_Init(&argc, &argv);
    if (argc > 1)
        nanosleep(&nap, NULL);
    else
        do
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        while (now.tv_sec < 1);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
"$MPICC" -o work work.c || exit 99
"$timeless" record -q --folded -n $(($(nproc) + 1)) --volume cputime -o run.tl -- ./work >record.log 2>&1 || { cat record.log; exit 99; }
check 'more ranks than cores are not comparable' prints '~^clock +not comparable: [0-9]+ ranks on [0-9]+ core' \
    "$timeless" info run.tl
core=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
timeout 120 taskset -c "$core" bash -c 'while :; do :; done' &
busy=$!
taskset -c "$core" "$timeless" record --volume cputime -o busy.tl -- "$MPIRUN" -np 1 --bind-to none ./work >record.log 2>&1
kill $busy
check 'a rank that waits for its core is not comparable' prints \
    '~^clock +not comparable: rank 0: it waited for a core in (about )?[0-9]+ % of its time \([0-9]+ involuntary' \
    "$timeless" info busy.tl
check 'record prints that a rank waited for its core' says \
    '~^timeless: busy.tl: the clock is not comparable with a prediction: rank 0: it waited' record.log
"$timeless" record -q --volume cputime -o nap.tl -- "$MPIRUN" -np 1 --bind-to none ./work nap >record.log 2>&1
check 'a rank that sleeps is comparable' bash -c '"$0" info nap.tl | tee info | grep -Eq "^clock +comparable$" ||
    { cat info; exit 1; }' "$timeless"
tap_done
