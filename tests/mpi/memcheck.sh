# memcheck.sh - programs under the tracer under Valgrind: no error and no lost memory of the tracer's.
#
#     tests/mpi/memcheck.sh [COMMAND...]    the same for any MPI program, on 2 ranks
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
suppressions=$(dirname "$(command -v ompi_info)")/../share/openmpi/openmpi-valgrind.supp
! uses_mpich || suppressions=/dev/null # it has none
set_for_ranks LD_PRELOAD="$tracer"
export TIMELESS_OUTPUT=$scratch/memcheck.tl

memcheck=(valgrind -q --leak-check=full --show-leak-kinds=definite --suppressions="$suppressions" --xml=yes)
# faultless NAME LIBRARY: nothing in the reports on NAME is of the library's making
faultless() { python3 "$here/memcheck.py" "$2" "$scratch/$1".*.xml; }
# check_program COMMAND...
check_program() {
    local name
    name=$(basename "$1")
    check "$name runs under Valgrind" \
        $MPIRUN -np 2 "${for_ranks[@]}" "${memcheck[@]}" --xml-file="$scratch/$name.%p.xml" "$@"
    check "$name: Valgrind finds no error and no lost memory of the tracer" faultless "$name" "$(basename "$tracer")"
    check "$name: the trace is complete" says '~^complete +yes' <("$timeless" info "$TIMELESS_OUTPUT")
}
if [ $# -gt 0 ]; then
    check_program "$@"
    tap_done
    exit
fi
if [ -n "$(nm "$tracer" | grep -m1 __asan_init)" ]; then
    skip "the tracer under Valgrind" "AddressSanitizer is built in and looks for the same"
    tap_done
    exit
fi
compile threads -pthread
compile calls_completion
check_program "$scratch/threads" 4 2
check_program "$scratch/calls_completion"

# An error that is there must be found.
cat >"$scratch/faulty.c" <<'EOS'
#include <stdlib.h>
static void *volatile kept;
int main(void) { kept = malloc(10); kept = NULL; return 0; }
EOS
$MPICC -g -o "$scratch/faulty" "$scratch/faulty.c"
"${memcheck[@]}" --xml-file="$scratch/faulty.%p.xml" "$scratch/faulty"
check_exit 1 "lost memory in a faulty library is found" faultless faulty faulty
tap_done
