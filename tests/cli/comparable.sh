# comparable.sh - which recordings say that their clock is not comparable; what compare makes of it: comparable_output.transcript.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

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
