# fortran.sh - Fortran programs leave the trace that the same calls in C leave, whatever their binding.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
of_mpich=
! uses_mpich || of_mpich=-DOF_MPICH

# compile_fortran BINDING NAME [FILES...]: $scratch/NAME-BINDING from fortran/NAME.F90
compile_fortran() {
    local binding=$1 name=$2; shift 2
    $MPIFORT -O1 -g -fallow-argument-mismatch -ffree-line-length-none -w -J "$scratch" $of_mpich -D"$binding" \
        -o "$scratch/$name-$binding" "$here/fortran/$name.F90" "$@" ||
        { tap_result 'not ok' "compile $name"; tap_done; exit 1; }
}
# Call sites lie in the program, not in the binding.
sites_in_program() { diff <(echo "$1") <("$print_events" "$scratch/$1.tl" 0 sites); }

check_calls() {
    local binding=$1 name=$2 ranks=$3 rank
    compile_fortran "$binding" "$name"
    check "$binding: $name runs as without the tracer, and its trace is complete" \
        record "$name-$binding" "$ranks"
    for ((rank = 0; rank < ranks; rank++)); do
        check "$binding: $name: events of rank $rank are those of the C program" \
            same_text "$here/expected/$name.$rank" "$print_events" "$scratch/$name-$binding.tl" "$rank"
    done
    check "$binding: $name: the call sites are in the program" sites_in_program "$name-$binding"
}
for binding in MPIF_H USE_MPI USE_MPI_F08; do
    check_calls $binding calls_p2p 2
    check_calls $binding calls_completion 2
    check_calls $binding calls_collective 3
    check_calls $binding calls_comm 4
done

compile_fortran ALL mixed -x c "$here/fortran/mixed.c"
check "mixed: a program with three bindings and C is recorded" record mixed-ALL 2 "$scratch/made by mixed"
for rank in 0 1; do
    if [ -n "${TIMELESS_ACCEPT-}" ]; then
        "$print_events" "$scratch/mixed-ALL.tl" "$rank" >"$here/expected/mixed.$rank"
    fi
    check "mixed: events of rank $rank are the expected ones" \
        same_text "$here/expected/mixed.$rank" "$print_events" "$scratch/mixed-ALL.tl" "$rank"
done
check "mixed: character arguments are passed on completely" test -e "$scratch/made by mixed"

# The bindings' libraries export no call that the tracer does not know.
binding_symbols() {
    local library
    for library in $(ldd "$scratch/mixed-ALL" | awk '$1 ~ /^libmpi(_mpifh|_usempi|chfort)/ {print $3}'); do
        nm -D --defined-only "$library" | awk '$2 == "T" || $2 == "W" {print $3}'
    done | grep -E '^mpix?_.*[^_]_$' | grep -v '^mpi_sizeof_' | grep -vE "$not_traced_of_mpich" | sort -u
}
schema_names() { sed -nE "s/^TL_($1)\(([0-9]+, )?(\w+).*/\L\3/p" "$top_srcdir/compress/mpi_calls.def"; }
binding_symbols >"$scratch/exported"
nm -D --defined-only "$tracer" | awk '{print $3}' | grep -E '^mpix?_' | sort >"$scratch/wrapped"
{ cat "$scratch/wrapped"; schema_names LOCAL | sed 's/.*/mpi_&_\nmpi_&_f08_/'
    # MPICH's
    schema_names LOCAL |
        sed 's/.*/mpix_&_\nmpix_&_f08_\nmpi_&_f08ts_\nmpix_&_f08ts_\nmpi_&_f08_large_\nmpi_&_f08ts_large_\nmpi_&_c_f08_\nmpi_&_c_f08ts_/'
    echo mpi_wtime_f08_ # MPICH's calls MPI_Wtime
    # Local calls under names that C does not have.
    printf 'mpi_%s_\n' alloc_mem_cptr win_shared_query_cptr f_sync_reg f_sync_reg_f08 aint_add aint_diff \
        aint_add_f08 aint_diff_f08
    printf 'mpix_comm_%s_\nmpix_comm_%s_f08_\n' {ack_failed,failure_ack,failure_get_acked,get_failed,is_revoked}{,}
} | sort -u >"$scratch/known"
all_known() { [ -s "$scratch/exported" ] && [ -z "$(comm -23 "$scratch/exported" "$scratch/known" | tee /dev/stderr)" ]; }
check "every call that the bindings export is wrapped or local" all_known
# A version of the library has an extension under one of its two names, or not at all.
schema_names 'EXTENSION|TRANSLATED' | sed 's/.*/mpi_&_\nmpi_&_f08_\nmpix_&_\nmpix_&_f08_/' >"$scratch/extensions"
# MPICH has those with buffers under names in _f08ts_ alone, and none for pointers.
! uses_mpich || { sed -n 's/_f08ts_$/_f08_/p' "$scratch/exported"
    printf 'mpi_win_allocate_%s\n' cptr_ shared_cptr_; } >>"$scratch/extensions"
# Names in _f08ts_ are MPICH's, and those with large counts.
check "the tracer wraps no call that the bindings do not export" \
    diff /dev/null <(comm -13 "$scratch/exported" "$scratch/wrapped" | grep -vxFf "$scratch/extensions" |
    grep -vE '_f08ts_$|_f08(ts)?_large_$|_c_f08_$')
tap_done
