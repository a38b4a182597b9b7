# symbols.sh - the schema knows all of libmpi; the tracer exports and needs only what it should.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile ends -pthread

# Every MPI function of the library stands in the schema.
nm -D --defined-only "$(libmpi_of "$scratch/ends")" | awk '$2 == "T" || $2 == "W" {print $3}' | grep -E '^MPIX?_' |
    grep -viE "$not_traced_of_mpich" | sort -u >"$scratch/libmpi"
{ sed -nE 's/^TL_(CALL|SPECIAL|OPAQUE)\([0-9]+, (\w+),.*/MPI_\2/p; s/^TL_(EXTENSION|TRANSLATED)\([0-9]+, (\w+),.*/MPI_\2\nMPIX_\2/p
    s/^TL_LOCAL\((\w+)\)/MPI_\1\nMPIX_\1/p' "$top_srcdir/compress/mpi_calls.def" | sed 'p; s/$/_c/' # with large counts
} | sort >"$scratch/schema"
nothing_missing() { [ -s "$scratch/libmpi" ] && [ -z "$(comm -23 "$scratch/libmpi" "$scratch/schema" | tee /dev/stderr)" ]; }
check "every MPI function of libmpi has a row in mpi_calls.def" nothing_missing
unique() { [ -z "$(uniq -d "$scratch/schema" | tee /dev/stderr)" ]; }
check "no function has two rows in mpi_calls.def" unique

nm -D --defined-only "$tracer" | awk '{print $3}' | sort >"$scratch/exported"
sed -nE 's/^TL_(CALL|SPECIAL|OPAQUE)\([0-9]+, (\w+),.*/MPI_\2\nPMPI_\2\nmpi_\L\2_\nmpi_\2_f08_\nmpi_\2_f08ts_/p
    s/^TL_(EXTENSION|TRANSLATED)\([0-9]+, (\w+),.*/MPI_\2\nPMPI_\2\nMPIX_\2\nPMPIX_\2\nmpi_\L\2_\nmpi_\2_f08_\nmpi_\2_f08ts_\nmpix_\2_\nmpix_\2_f08_\nmpix_\2_f08ts_/p' \
    "$top_srcdir/compress/mpi_calls.def" | grep -vxE "mpi_wtime_f08(ts)?_" >"$scratch/wanted"
# With large counts.
sed -nE '/ ([RT]?COUNT|R?COUNTS|UNIT)\(/s/^TL_(CALL|SPECIAL|EXTENSION|TRANSLATED)\([0-9]+, (\w+),.*/MPI_\2_c\nPMPI_\2_c\nmpi_\L\2_f08_large_\nmpi_\2_f08ts_large_\nmpi_\2_c_f08_\nmpi_\2_c_f08ts_/p' \
    "$top_srcdir/compress/mpi_calls.def" >>"$scratch/wanted"
printf 'mpi_win_allocate_%s\n' cptr_ shared_cptr_ >>"$scratch/wanted" # of `use mpi`
sed -nE 's/^TL_KERNEL\([0-9]+, (\w+), *\w, (\w+),.*/\2 \1/p' "$top_srcdir/compress/kernels.def" |
    while read -r kind k; do
        case $kind in
        TRANSFORM | USER | UNKNOWN) ;;
        GETRF | GETRS | POTRF) printf '%s\n' "${k}_" "LAPACKE_$k" "LAPACKE_${k}_work" ;;
        DOTX) printf '%s\n' "${k}_" "cblas_${k}_sub" ;;
        *) printf '%s\n' "${k}_" "cblas_$k" ;;
        esac
    done >>"$scratch/wanted"
printf 'timeless_kernel_%s\n' begin end >>"$scratch/wanted"
printf '%s\n' ompt_start_tool exec_blas exec_blas_async sched_yield ucp_worker_progress >>"$scratch/wanted" # ompt.c, openblas.c, ucx.c
! grep -q tlt_openmpi_family "$tracer" || echo PMIx_Commit >>"$scratch/wanted" # roll_call.c
printf '%s\n' {P,}MPI_Op_create{,_c} >>"$scratch/wanted" # operators.c
printf '%s\n' sleep usleep nanosleep clock_nanosleep >>"$scratch/wanted" # sleep.c
printf '%s\n' pthread_create pthread_join >>"$scratch/wanted" # workers.c
printf '%s\n' sigaction signal >>"$scratch/wanted" # samples.c
# library NAME: its file.  The folder of ldconfig is not in the PATH of Debian's users.
library() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk -v lib="$1" '$1 == lib {print $NF; exit}'; }
# Of libgomp every function that takes a region or a task, those in which a thread may wait, and those that begin or end
# what one thread does alone.
nm -D --defined-only "$(library libgomp.so.1)" | awk '{print $3}' |
    sed -nE 's/@.*//; /_(start|end|nowait)$/{/^GOMP_(loop|sections)_end$|^GOMP_(critical|critical_name|atomic|ordered|single|single_copy)_start$|^GOMP_(critical|critical_name|atomic|ordered|single_copy|taskgroup)_end$/!d}
        /^GOMP_(parallel|task$|taskloop|taskwait|taskgroup_end|barrier|loop_end|sections_end|ordered_(start|end)|critical|atomic|single_start|single_copy|workshare_task_reduction_unregister)|^omp_(un)?set_lock_?$/p' |
    sort -u >>"$scratch/wanted"
# Of FFTW every function that makes, executes or destroys a plan.
for f in fftw3:d fftw3f:s fftw3l:l; do
    nm -D --defined-only "$(library "lib${f%:*}.so.3")" |
        sed -nE "s/.* T (fftw[fl]?_(plan_(many_|guru(64)?_(split_)?)?(dft|r2r)\w*|execute\w*|destroy_plan)|${f#*:}fftw_execute\w*)$/\1/p"
done >>"$scratch/wanted"
sort -o "$scratch/wanted" "$scratch/wanted"
check "the tracer exports its wrappers and nothing else" diff "$scratch/wanted" "$scratch/exported"
needs_nothing() {
    ! readelf -d "$tracer" | grep NEEDED | grep -Ei 'mpi|papi|blas|lapack|fftw' &&
        ! nm -D --undefined-only "$tracer" | grep -Ei 'mpi|papi|blas|lapack|fftw'
}
check "the tracer can be loaded without MPI, PAPI, BLAS and FFTW" needs_nothing
harmless() { LD_BIND_NOW=1 LD_PRELOAD=$tracer sh -c 'cd "$0" && ls | wc -l' "$scratch" 2>&1 | grep -qx '[0-9]*'; }
check "the tracer prints nothing in programs without MPI, also if all symbols are bound at once" harmless
no_file() { [ -z "$(find "$scratch" -name '*.tl')" ]; }
check "the tracer writes no file in programs without MPI" no_file
tap_done
