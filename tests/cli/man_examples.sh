#!/usr/bin/env bash
# Every command of the EXAMPLES sections of the manual works when pasted, beside the traces that the
# examples name: hpcc.tl, a run whose last section is hpl.tl, ring.tl, pair.tl, one message, hybrid.tl, a parallel region,
# dumpi/all.meta, files.txt, a trace of liballprof, archive/trace.otf2, waits.tl, whose calls have durations, run.node1.tl and run.node2.tl, parts of a run, and the measurements before.csv and
# now.csv.  And every command has a page.
# The pages of `timeless calibrate` are in man_examples_calibrate.sh.
. "$top_srcdir/tests/tap.sh"
if is_of_other_mpi "$HPCC"; then skip "examples of the man pages" "Debian's hpcc is linked with Open MPI"; tap_done; exit; fi
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
PATH=$(dirname "$timeless"):$PATH
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
"$top_srcdir/tests/hpcc_input.sh" 200 2 2 >hpccinf.txt
ln -s "$top_srcdir/platforms" platforms

# examples PAGE: its commands, one a line; what is indented by the reader stands between .nf and .fi
examples() {
    awk '/^\.SH/ {on = /^\.SH EXAMPLES/; next} /^\.nf/ {text = 1; next} /^\.fi/ {text = 0} on && text' "$1" |
        sed 's/\\-/-/g'
}

if [ "${calibrations:-}" ]; then cp "$top_srcdir/traces/hpl-4.tl" hpl.tl
else
    check 'a run of hpcc' timeless record -q -o hpcc.tl -- "$MPIRUN" -np 4 "$HPCC"
    check 'its last section' timeless cut hpcc.tl --section last -o hpl.tl
fi
# timeless-record.1 records hpcc five times, timeless.1 and readme.sh (folded, too) as it is: there, a program with the calls
# that the options name stands in for it.
mkdir stand-in
cat >hpcc.c <<'END'
#include <mpi.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
int main(void)
{
    static double a[64 * 64], c[64 * 64], one = 1;
    int n = 64, flag;
    MPI_Init(0, 0);
    for (int i = 0; i < 20; i++) {
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &one, c, &n);
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, c, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
END
[ "${calibrations:-}" ] || check 'what stands in for hpcc is compiled' "$MPICC" -o stand-in/hpcc hpcc.c -lblas
check 'a ring' "$top_builddir/tests/golden/make_trace" ring ring.tl
printf '%s\n' 'timeless-text 1' 'ranks 2' 'rank 0 host="h"' \
    '0 0 MPI_Send count=1 type_bytes=8 peer=1 tag=0 comm=1' 'end cut clock_ns=0' 'rank 1 host="h"' \
    '1 0 MPI_Recv count=1 type_bytes=8 peer=0 tag=0 comm=1' 'end cut clock_ns=0' | timeless undump - -o pair.tl
python3 "$top_srcdir/tests/cli/dumpi_write.py" dumpi
printf '%s\n' 'MPI_Init:-:0:0:1000' 'MPI_Barrier:1100:0,0,1:1200' 'MPI_Finalize:1300:-' >pmpi-trace-rank-0.txt
ls pmpi-trace-rank-*.txt >files.txt
timeless export --to otf2 -o archive ring.tl
timeless dump ring.tl | sed 's/^volume_unit .*/volume_unit "cpu-ns"/;s/^\([01] [0-9]* MPI_[BRS].*\) volume=/\1 took_ns=2000000 volume=/' | timeless undump - -o waits.tl
part() { printf '%s\n' 'timeless-text 1' 'ranks 2' 'parts "node1 node2"' "rank $1 host=\"$2\"" 'end cut clock_ns=0' |
    timeless undump - -o "run.$2.tl"; }
part 0 node1
part 1 node2
printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
    '0 0 Parallel list=[0,0,0,1000] volume=1000 site=0' 'end cut clock_ns=0' | timeless undump - -o hybrid.tl
printf 'makespan,%s\n' 1.0 1.1 1.2 1.05 >before.csv
printf 'makespan,%s\n' 1.08 >now.csv
for unit in timed:cpu-ns counted:instructions; do
    printf '%s\n' 'timeless-text 1' 'ranks 1' "volume_unit \"${unit#*:}\"" 'rank 0 host="h"' 'site 1 object="a" offset=1' \
        '0 0 MPI_Wtime clock_ns=0 volume=1000 site=1' 'end cut clock_ns=0' | timeless undump - -o "${unit%:*}.tl"
done
for page in "$top_srcdir"/doc/timeless*.1; do
    name=$(basename "$page" .1) n=0
    case $name in timeless-record) path=$scratch/stand-in:$PATH ;; *) path=$PATH ;; esac
    case $name in *-calibrate*) [ "${calibrations:-}" ] ;; *) [ ! "${calibrations:-}" ] ;; esac || continue
    while IFS= read -r command <&3; do
        n=$((n + 1))
        # Shorter and looser than a reader would: the measurement itself and the error it finds are
        # the business of other tests.
        case $command in
        *'calibrate network'*) check "$name: $command" bash -c "$command --max-seconds 5 || $command --max-seconds 60" ;;
        *'calibrate cpu'*) check "$name: $command" bash -c "$command" ;;
        # Working sets of up to four times a cache of 480 MB take 40 s of processor time, whatever --max-seconds says.
        *'calibrate memory'*) check "$name: $command" bash -c "$command --max-seconds 1 --max-bytes 1048576 --allow-busy" ;;
        *'kernels --reuse'*) check "$name: $command" bash -c "$command" ;;
        *'kernels --for'*) check "$name: $command" bash -c "$command --max-seconds 0" ;; # each call once
        *'calibrate kernels'*) check "$name: $command" bash -c "$command --max-seconds 0 --nb 32" ;; # and of small products
        *calibrate*) check "$name: $command" bash -c "$command --max-seconds 1" ;;
        *--tolerance*) # no model of this machine is good, and its recording may not be comparable
            check "$name: $command" bash -c "$command; code=\$?; [ \$code -le 1 ] || [ \$code = 5 ]" ;;
        *) PATH=$path check "$name: $command" bash -o pipefail -c "$command" ;;
        esac
    done 3< <(examples "$page")
    check "$name: has examples" test "$n" -ge 1
done
[ "${calibrations:-}" ] || while read -r name; do
    check "timeless.1 names $name" grep -qF "timeless\\-$name" "$top_srcdir/doc/timeless.1"
    check "$name has a page" test -f "$top_srcdir/doc/timeless-$name.1"
done < <(timeless --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
tap_done
