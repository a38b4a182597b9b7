# unknown_calls.sh - a program calls functions of its MPI that are in no row of mpi_calls.def: the run and the trace name them.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
cd "$scratch" || exit 99

# A libmpi with three functions more: it has the file name of the real one, which it needs under another name.
printf '%s\n' '#include <mpi.h>' 'int main(void) { return MPI_Init(0, 0); }' >empty.c
$MPICC -w -o empty empty.c || exit 99
library=$(libmpi_of empty)
name=$(basename "$library") other=libmpx${name#libmpi}
mkdir newer
sed "s/${name//./\\.}/$other/g" "$library" >"newer/$other"
cat >more.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int MPI_More(int *number)
{
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm) = dlsym(dlopen(OTHER, RTLD_LAZY | RTLD_NOLOAD), "PMPI_Bcast");
    return bcast(number, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
int MPIX_More_yet(int *number) { return MPI_More(number); }
void mpi_more_for_fortran_(int *number) { MPI_More(number); }
END
cat >calls.c <<'END'
#include <mpi.h>
#include <stdio.h>
int MPI_More(int *number), MPIX_More_yet(int *number);
void mpi_more_for_fortran_(int *number);
int main(int argc, char **argv)
{
    int rank, number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    number = rank ? 0 : 7;
    MPI_More(&number), MPIX_More_yet(&number), mpi_more_for_fortran_(&number);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", number);
    MPI_Finalize();
    return 0;
}
END
build() {
    $MPICC -w -shared -fPIC -DOTHER="\"$other\"" -Wl,-soname,"$name" -o "newer/$name" more.c "newer/$other" &&
        $MPICC -w -o calls calls.c "newer/$name" "newer/$other"
}
check "a program of a newer MPI compiles" build
export LD_LIBRARY_PATH=$scratch/newer
run() { $timeless record -o calls.tl -- $MPIRUN -n 2 ./calls >numbers 2>said && equal "$(cat numbers)" $'7\n7'; }
check "it runs" run
names='MPIX_More_yet MPI_More mpi_more_for_fortran_'
once() { equal "$(grep -c "^timeless: calls of $names are not traced" said)" 1; }
check "one line names the functions that are not traced" once
complete() { "$timeless" info calls.tl >info; says "~^not traced  *$names\$" info && says '~^complete  *yes' info &&
    ! says MPI_Bcast info 2>/dev/null; }
check "info names them" complete
in_json() { "$timeless" info --json calls.tl | grep -Fq "\"untraced\": \"$names\""; }
check "info --json, too" in_json
replay() { "$timeless" replay "$1" --no-compute -p "$here/oracle/star" --hostfile "$here/oracle/star/hosts" "${@:2}" >prediction \
    2>warning; }
warned() { replay calls.tl && says "~warning: .*calls.tl: the trace lacks the calls of $names" warning &&
    says "~^not traced +calls of $names" prediction; }
check "replay warns of them" warned
names_in_json() { replay calls.tl --json && grep -Fq "\"untraced\": \"$names\"" prediction; }
check "replay --json names them" names_in_json
kept() { "$timeless" cut calls.tl --section 0 -o cut.tl && "$timeless" pack calls.tl -o packed.tl && for f in cut packed; do
    "$timeless" info $f.tl | grep -q "^not traced  *$names" || return 1; done; }
check "a cut and a packed trace name them" kept

# Only one of two programs calls them, the one of rank 1.
cat >plain.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int number;
    MPI_Init(&argc, &argv);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
$MPICC -w -o plain plain.c
# One script for both ranks, as Debian 13's mpirun crashes if its command line has several programs (Open MPI 5.0.7).
echo '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] && exec ./plain; exec ./calls' >either.sh
two() { $timeless record -o two.tl -- $MPIRUN -n 2 sh ./either.sh >/dev/null 2>said && once && "$timeless" info two.tl |
    grep -q "^not traced  *$names"; }
check "rank 1 alone calls them: the trace names them" two
unset LD_LIBRARY_PATH

# What MPI has today is known: a program that refers to all of it.
misspelt=pmpi_ineighbor_alltoallv_init_f08_ # in Open MPI 5.0; no module of it refers to it
functions() { nm -D --defined-only "$1" | awk '$2 == "T" || $2 == "W" { print $3 }' | grep -E '^(P?MPIX?_|p?mpix?_)' |
    grep -vx "$misspelt"; }
echo end >fortran.f90
$MPIFORT -Wl,--no-as-needed -o fortran fortran.f90 || exit 99
refer() {
    local libraries=$library file
    for file in $(ldd fortran | awk '$1 ~ /^libmpi(_|chfort)/ { print $3 }'); do libraries+=" $file"; done
    for file in $libraries; do functions "$file"; done | sort -u >all
    { sed 's/.*/int &();/' all; echo 'void *volatile kept[] = {'; sed 's/.*/\&&,/' all
        echo '0}; int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }'; } >all.c
    gcc -w -fPIC -o all.run all.c $libraries && [ "$(wc -l <all)" -gt 3000 ]
}
check "a program that refers to all functions of MPI is made" refer
unmarked() {
    $timeless record -o all.tl -- $MPIRUN -n 1 ./all.run 2>said
    "$timeless" info all.tl >info && { sed -n 's/^not traced *//p' info
        sed -n 's/^timeless: calls of \(.*\) are not traced.*/\1/p' said; } |
        tr ' ' '\n' | { ! grep -viE "$not_traced_of_mpich"; }
}
check "its trace is not marked, but for what the manual names" unmarked
tap_done
