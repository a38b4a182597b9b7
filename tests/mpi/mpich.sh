# mpich.sh - programs of MPICH, and of an MPI that nobody knows, under the tracer.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
MPICC=$MPICC_MPICH MPIRUN=$MPIRUN_MPICH
cd "$scratch" || exit 99

# same_run NAME COMMAND...: the command's output and exit code with the tracer preloaded are those without it
same_run() {
    local name=$1 code; shift
    "$@" >"$name.plain" 2>"$name.plain.err"; code=$?
    LD_PRELOAD=$tracer "$@" >"$name.traced" 2>"$name.said"
    equal "$code" $? && cmp "$name.plain" "$name.traced" && diff "$name.plain.err" <(grep -v '^timeless: ' "$name.said")
}
declines() { grep '^timeless: ' "$1.said" | tee /dev/stderr | wc -l | grep -qx 1 &&
    says "~^timeless: no trace: the program runs under $2" "$1.said"; }
# as_alone OPTION...: timeless record, where mpirun is that of MPICH
as_alone() ( names_of_mpich; $timeless record "$@" )
exactly() { "$@" && "$timeless" info exact.tl | grep -q 'volume.*exact:qemu'; }
# says_once NAME PATTERN: one line of the tracer, and no trace
says_once() { equal "$(grep -c '^timeless: ' "$1.said")" 1 && says "~^timeless: no trace: $2" "$1.said" && [ ! -e "$1.tl" ]; }
same_calls() {
    local rank
    for ((rank = 0; rank < $2; rank++)); do same_text "$here/expected/$1.$rank" "$print_events" "$1.tl" "$rank" || return 1; done
}
complete() { "$timeless" info "$1" | tee "$scratch/info" | grep -Eq '^complete +yes' && says '~MPICH Version' "$scratch/info"; }
# Each row that has a twin with large counts (MPI_Send_c) by that: the events are those of MPI_Send.
rows="python3 $here/rows/rows.py $top_srcdir/compress/mpi_calls.def"
make_rows() {
    MPI_FUNCTIONS=$(nm -D --defined-only "$(ldd calls_p2p | awk '$1 ~ /^libmpich\.so/ { print $3 }')" | awk '$3 ~ /^MPIX?_/ { print $3 }')
    export MPI_FUNCTIONS PYTHONDONTWRITEBYTECODE=1
    $rows large >run.c && [ "$(grep -c '_c(' run.c)" -gt 100 ] && $MPICC -O1 -w -DLARGE -I . -o rows "$here/rows/frame.c"
}
large_counts() {
    grep -q tlt_mpich_family "$tracer" || return
    check "MPICH: a program with large counts compiles" make_rows
    check "MPICH: it runs as without the tracer" env LD_PRELOAD="$tracer" TIMELESS_OUTPUT=rows.tl timeout 60 $MPIRUN -n 2 ./rows \
        all "$scratch/file"
    check "MPICH: calls with large counts are recorded as those without" $rows check "$timeless" rows.tl all
    $MPICC -w -o beyond "$here/large.c"
    check "MPICH: counts beyond those of int" env LD_PRELOAD="$tracer" TIMELESS_OUTPUT=beyond.tl timeout 60 $MPIRUN -n 2 ./beyond
    check "MPICH: the trace has them" beyond
    $MPIFORT_MPICH -w -o large_f08 "$here/fortran/large.F90"
    check "MPICH: use mpi_f08 with large counts" env LD_PRELOAD="$tracer" TIMELESS_OUTPUT=f08.tl timeout 60 $MPIRUN -n 2 ./large_f08
    check "MPICH: use mpi_f08: calls are recorded once" f08
    check "MPICH: use mpi_f08 with large counts: the call sites are in the program" f08_sites
}
# A rank into which the tracer was not loaded.
some_ranks() {
    timeout 60 $MPIRUN -n 1 ./calls_p2p : -n 1 env LD_PRELOAD="$tracer" ./calls_p2p >some 2>said &&
        diff <(sort some) <(sort calls_p2p.plain) &&
        equal "$(grep '^timeless: ' said)" "timeless: no trace: rank 0 runs without the tracer; 'timeless record' loads it into all"
}
# spent COMMAND...: user and system time of 8 ranks on one core, in ms
spent() {
    local TIMEFORMAT='%U %S'
    { time taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')" timeout 100 "$@" -n 8 ./folded 30 >/dev/null 2>&1; } \
        2>&1 | awk '{ print int(1000 * ($1 + $2)) }'
}
folded() { # in one of three attempts: other load makes both times longer by the same amount
    local alone together
    for _ in 1 2 3; do
        alone=$(LD_PRELOAD=$tracer TIMELESS_OUTPUT=alone.tl spent $MPIRUN)
        together=$(spent $timeless record --folded -o together.tl -- $MPIRUN)
        echo "$alone ms, folded $together ms"
        [ -s together.tl ] || return
        [ "$together" -ge $((alone / 2)) ] || return 0
    done
    return 1
}
same_kernels() { cmp <("$timeless" dump alone.tl | grep -o '^[0-9]* [0-9]* dgemm [^v]*') <("$timeless" dump together.tl |
    grep -o '^[0-9]* [0-9]* dgemm [^v]*') && "$timeless" info together.tl | grep '^folding *8 ranks on 1 core'; }
sleeps() { $timeless record --folded --skip-kernels -o wait.tl -- $MPIRUN -n 4 ./skip wait >ms && cat ms &&
    awk '{ n++; if ($2 >= 100) bad = 1 } END { exit bad || n != 2 }' ms; }
# dumped FILE: the calls of rank 0 with their counts
dumped() { "$timeless" dump "$1" | awk '$1 == 0 && $2 ~ /^[0-9]+$/ && $3 !~ /Init|Finalize/ { list = $3;
    for (i = 4; i <= NF; i++) if ($i ~ /^(recv_)?count=|^list=/) list = list " " $i; print list }'; }
beyond() { equal "$(dumped beyond.tl)" 'MPI_Sendrecv count=3000000000 recv_count=3000000000
MPI_Alltoallv list=[3000000000,1,3000000000,1]'; }
f08() { equal "$(dumped f08.tl)" 'MPI_Sendrecv count=5 recv_count=5
MPI_Allreduce count=5
MPI_Isend count=5
MPI_Recv count=5
MPI_Wait'; }
f08_sites() { equal "$("$timeless" dump f08.tl | sed -n 's/^object name="\([^"]*\)".*/\1/p' | sort -u)" large_f08; }
programs_of_mpich() {
    local program ranks binding
    for program in calls_p2p:2 calls_collective:3 calls_comm:4 calls_completion:2; do
        ranks=${program#*:} program=${program%:*}
        compile $program -w
        check "MPICH: $program runs as without the tracer" same_run $program timeout 60 $MPIRUN -n $ranks ./$program
        if grep -q tlt_mpich_family "$tracer"; then
            check "MPICH: $program has a trace" complete $program.tl
            check "MPICH: $program: the events are those of Open MPI" same_calls $program $ranks
        else # configure --without-mpich
            check "MPICH: $program: one line says why there is no trace" declines $program 'MPICH Version: '
        fi
    done
    for binding in MPIF_H USE_MPI USE_MPI_F08; do
        for program in calls_p2p:2 calls_comm:4; do
            ranks=${program#*:} program=${program%:*}
            grep -q tlt_mpich_family "$tracer" || break
            $MPIFORT_MPICH -w -O0 -g -fallow-argument-mismatch -D$binding -DWITHOUT_MPI_EXT -J . -I "$here/fortran" -o fortran \
                "$here/fortran/$program.F90"
            check "MPICH: $binding: $program runs" env LD_PRELOAD="$tracer" TIMELESS_OUTPUT=$program.tl timeout 60 $MPIRUN \
                -n $ranks ./fortran
            check "MPICH: $binding: $program: the events are those of Open MPI" same_calls $program $ranks
            rm -f ./*.tl fortran
        done
    done
    large_counts
    if grep -q tlt_mpich_family "$tracer"; then
        check "MPICH: a rank without the tracer: one line names it, the program runs" some_ranks
        compile folded -lblas
        check "MPICH: 8 ranks on one core need less than half of the time if folded" folded
        check "MPICH: the events are the same" same_kernels
        compile skip -llapack -lblas
        check "MPICH: --skip-kernels: a rank that waits 2 s needs less than 0.1 s of CPU time" sleeps
    fi
    echo '#include <mpi.h>
#include <stdio.h>
int main(void)
{
    MPI_Session s;
    int n;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
    MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n);
    printf("%d\n", n);
    return MPI_Session_finalize(&s);
}' >session.c
    $MPICC -o session session.c
    check "MPICH: a program with sessions runs as without the tracer" same_run session timeout 60 $MPIRUN -n 1 ./session
    sessions() { $timeless record -o "$scratch/session.tl" -- $MPIRUN -n 1 ./session; }
    check "MPICH: a program with sessions alone has no trace, the message names sessions" ends_with 3 \
        '~no trace was written: no process called MPI_Init .*MPI_Session_init alone' sessions
    if grep -q tlt_mpich_family "$tracer"; then
        compile steps -w
        check "MPICH's mpirun: record -n starts the ranks" as_alone -o n.tl -n 2 ./steps 2
        check "MPICH's mpirun: record -- mpirun starts the ranks" as_alone -o mpirun.tl -- mpirun -np 2 ./steps 2
        check "MPICH's mpirun: both traces have the same events" cmp <("$print_events" n.tl 1) <("$print_events" mpirun.tl 1)
        if why=$(no_exact_counts); then skip "MPICH's mpirun: exact counting" "$why"
        else
            check "MPICH's mpirun: instructions are counted exactly by record -n" exactly as_alone \
                --volume exact:qemu -o exact.tl -n 2 ./steps 2
            check_exit 2 "MPICH's mpirun: exact counting refuses other command lines" as_alone --volume exact:qemu -o no.tl \
                -- mpiexec -n 2 ./steps 2
            cp "$scratch/err" said
            check "MPICH's mpirun: the message names the remedy" \
                grep -qx 'timeless: mpiexec: with this launcher, exact:qemu needs to know where the program begins; give -n N PROGRAM in place of its command line' said
        fi
        rm -f ./*.tl
    fi
    if command -v mpirun.openmpi >/dev/null && grep -q tlt_mpich_family "$tracer"; then
        compile steps -w
        check "MPICH: a program that Open MPI's mpirun starts runs as without the tracer" same_run steps timeout 60 \
            mpirun.openmpi -np 3 ./steps 2
        check "MPICH: Open MPI's mpirun: one line says so, and there is no trace" says_once steps \
            'the launcher of Open MPI started 3 processes, .*mpirun.mpich$'
        mpicc.openmpi -w -o steps "$here/steps.c"
        check "a program of Open MPI that MPICH's launcher starts runs as without the tracer" same_run steps timeout 60 $MPIRUN \
            -n 3 ./steps 2
        why='the launcher of MPICH started 3 processes, .*mpirun.openmpi$'
        grep -q tlt_openmpi_family "$tracer" || why='the program runs under Open MPI v.*; this tracer records programs of MPICH$'
        check "Open MPI, MPICH's launcher: one line says so, and there is no trace" says_once steps "$why"
    fi
    compile ends -pthread
    # MPICH's launcher returns 1 in one of 60 such runs without the tracer.
    exits() { same_run ends timeout 60 $MPIRUN -n 1 ./ends exit; }
    either() { exits || exits || exits; }
    check "MPICH: a program that exits without MPI_Finalize" either
    rm -f ./*.tl
}
if command -v "$MPICC" >/dev/null; then programs_of_mpich
else skip "programs of MPICH" "$MPICC: not found; the Debian packages mpich and libmpich-dev have MPICH"; fi

# An MPI that is not known: handles are structures, there is no PMPI, and few functions.
cat >unknown.h <<'END'
typedef struct { short number; } MPI_Comm;
int MPI_Init(int *argc, char ***argv), MPI_Comm_rank(MPI_Comm comm, int *rank), MPI_Finalize(void);
int MPI_Allreduce(const void *send, void *receive, int n, long type, long op, MPI_Comm comm);
END
cat >unknown_mpi.c <<'END'
#include "unknown.h"
#include <stdio.h>
int MPI_Init(int *argc, char ***argv) { printf("init %d %s\n", *argc, (*argv)[1]); return 0; }
int MPI_Comm_rank(MPI_Comm comm, int *rank) { *rank = comm.number; return 0; }
int MPI_Allreduce(const void *send, void *receive, int n, long type, long op, MPI_Comm comm)
{
    printf("%d of %ld %ld on %d\n", n, type, op, comm.number);
    *(int *)receive = *(const int *)send;
    return 77;
}
int MPI_Finalize(void) { puts("finalize"); return 0; }
END
cat >unknown.c <<'END'
#include "unknown.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Comm world = {5};
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    int result = MPI_Allreduce(&rank, &sum, 1, 1L << 40, -(1L << 41), world);
    printf("%d %d %d\n", rank, sum, result);
    MPI_Finalize();
    return sum;
}
END
make_unknown() { gcc -w -shared -fPIC -o libunknown.so unknown_mpi.c && gcc -w -o unknown unknown.c -L. -lunknown -Wl,-rpath,"$scratch"; }
check "a program of an unknown MPI compiles" make_unknown
check "it runs as without the tracer" same_run unknown ./unknown word
check "one line says why there is no trace" declines unknown 'an unknown MPI'
check "it has run" says '~^5 5 77$' unknown.traced
records() { $timeless record -o "$scratch/u.tl" -- ./unknown word; }
check_exit 5 "timeless record has the exit code of the program" records
no_file() { [ -z "$(find "$scratch" -name '*.tl')" ]; }
check "no file is written" no_file
tap_done
