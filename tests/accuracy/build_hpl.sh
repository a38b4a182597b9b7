#!/usr/bin/env bash
# Builds HPL alone from the source of Debian's hpcc, whose other parts take minutes for large matrices.
#
#   apt-get source hpcc
#   build_hpl.sh hpcc-1.5.0 PROGRAM [kernels]
#
# It reads hpccinf.txt and prints HPL_time and Success as hpccoutf.txt has them.  With HPL_PIVOTS=FILE in its
# environment it appends the row of each pivot to FILE, a line each.
#
# With `kernels`, its routines that move rows (HPL_dlaswp*, HPL_dlacpy, HPL_dlatcpy) are kernels in a recording, with the sizes that `hpl:` gives
# them.  So `timeless calibrate kernels --for RECORDING -o PLATFORM` makes a platform that has a time for each of them that HPL calls
# with these settings.
set -eu
[ $# = 2 ] || [ "${3-}" = kernels ] && [ -d "$1/hpl/src" ] || { echo "usage: $0 SOURCE PROGRAM [kernels]" >&2; exit 2; }
hpl=$1/hpl
work=$(mktemp -d "${TMPDIR:-/tmp}/build-hpl.XXXXXX")
trap 'rm -rf "$work"' EXIT
# What MPI 3 took away, as Debian's patch does it.
cat >"$work/mpi3.h" <<'END'
#include <mpi.h>
#undef MPI_Type_struct
#undef MPI_Address
#define MPI_Type_struct MPI_Type_create_struct
#define MPI_Address MPI_Get_address
END
cat >"$work/main.c" <<'END'
#include "hpl.h"
#include <stdio.h>
#include <stdlib.h>
/* The factorisation of a panel, and then the rows of its pivots. */
void __real_HPL_pdfact(HPL_T_panel *panel);
void __wrap_HPL_pdfact(HPL_T_panel *panel);
void __wrap_HPL_pdfact(HPL_T_panel *panel)
{
    const char *path = getenv("HPL_PIVOTS");
    __real_HPL_pdfact(panel);
    if (!path || panel->grid->mycol != panel->pcol || panel->grid->myrow != panel->prow)
        return;
    FILE *out = fopen(path, "a");
    for (int i = 0; out && i < panel->jb; i++)
        fprintf(out, "%d\n", (int)panel->DPIV[i]);
    if (!out || fclose(out) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}
int HPCC_Defaults(void);
int HPCC_Defaults(void)
{
    fputs("hpccinf.txt cannot be read\n", stderr);
    return MPI_Abort(MPI_COMM_WORLD, 1);
}
int main(int argc, char **argv)
{
    HPL_RuntimeData data;
    int failed = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    HPL_main(argc, argv, &data, &failed);
    if (rank == 0)
        printf("HPL_time=%.9g\nSuccess=%d\n", data.time, !failed);
    MPI_Finalize();
    return failed;
}
END
: >"$work/kernels.c" >"$work/wraps"
# A wrapper for each: NAME, its parameters, its arguments; M and N are the sizes.
[ $# = 2 ] || {
    printf '%s\n' '#include "hpl.h"' '#include <timeless_kernel.h>'
    m='const int M, const int N' a='const double *A, const int LDA' u='double *U, const int LDU' w='const double *W0, const double *W, const int LDW'
    wrap() {
        printf 'void __real_%s(%s);\nvoid __wrap_%s(%s);\nvoid __wrap_%s(%s)\n{\n    TIMELESS_KERNEL_BEGIN("%s", M, N);\n' "$1" "$2" "$1" "$2" "$1" "$2" "$1"
        printf '    __real_%s(%s);\n    timeless_kernel_end();\n}\n' "$1" "$3"
        echo "-Wl,--wrap=$1" >>"$work/wraps"
    }
    for name in dlacpy dlatcpy; do wrap HPL_$name "$m, $a, double *B, const int LDB" 'M, N, A, LDA, B, LDB'; done
    for name in 00N 10N; do wrap HPL_dlaswp$name "$m, double *A, const int LDA, const int *I" 'M, N, A, LDA, I'; done
    for name in 01N 01T; do wrap HPL_dlaswp$name "$m, double *A, const int LDA, $u, const int *I, const int *J" 'M, N, A, LDA, U, LDU, I, J'; done
    wrap HPL_dlaswp02N "$m, $a, double *W0, double *W, const int LDW, const int *I, const int *J" 'M, N, A, LDA, W0, W, LDW, I, J'
    for name in 03N 03T; do wrap HPL_dlaswp$name "$m, $u, $w" 'M, N, U, LDU, W0, W, LDW'; done
    for name in 04N 04T; do
        wrap HPL_dlaswp$name "const int M, const int M1, const int N, $u, double *A, const int LDA, $w, const int *I, const int *J" \
            'M, M1, N, U, LDU, A, LDA, W0, W, LDW, I, J'
    done
    for name in 05N 05T; do wrap HPL_dlaswp$name "$m, double *A, const int LDA, const double *U, const int LDU, const int *I, const int *J" 'M, N, A, LDA, U, LDU, I, J'; done
    for name in 06N 06T; do wrap HPL_dlaswp$name "$m, double *A, const int LDA, $u, const int *I" 'M, N, A, LDA, U, LDU, I'; done
} >"$work/kernels.c"
find "$hpl/src" "$hpl/testing" -name '*.c' >"$work/files"
mpicc -O2 -w -include "$work/mpi3.h" -DAdd_ -DF77_INTEGER=int -DStringSunStyle -DHPL_CALL_CBLAS \
    -I"$hpl/include" -I"$(dirname "$0")/../../tracer" "$work/main.c" "$work/kernels.c" @"$work/files" @"$work/wraps" -Wl,--wrap=HPL_pdfact -o "$2" -lblas -lm
