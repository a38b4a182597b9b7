# user_kernels.sh - kernels that programs name themselves, from the program to the replay.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
unset TIMELESS_QUIET
header="-I$top_srcdir/tracer -std=c11 -Wall -Wextra -pedantic -Werror"

compile user_kernels $header -lblas
check "a program with kernels links and runs without the tracer" "$scratch/user_kernels"
compile user_kernels $header -DTIMELESS_NO_KERNELS -lblas
check "kernels off at compile time: the program is recorded" record user_kernels 1
no_kernels() { "$timeless" dump "$scratch/user_kernels.tl" >"$scratch/none" && test -s "$scratch/none" &&
    ! grep -E '(^kernel|user) ' "$scratch/none"; }
check "kernels off at compile time: the trace has no kernel" no_kernels

compile user_kernels $header -lblas
check "a program with kernels is recorded" record user_kernels 2
cp "$scratch/err" "$scratch/said"
cat >"$scratch/expected" <<'END'
MPI_Init
user kernel=1 list=[1000,1]
user kernel=1 list=[1000,2]
user kernel=1 list=[1000,3]
user kernel=2 list=[]
user kernel=3 list=[4]
MPI_Barrier comm=1
MPI_Allreduce count=1 type_bytes=8 comm=1 in_place=1
user kernel=4 list=[5]
MPI_Barrier comm=1
user kernel=1 list=[7,8,9]
MPI_Finalize
end 1
END
check "the outermost kernels are events with their sizes" same_text "$scratch/expected" "$print_events" "$scratch/user_kernels.tl" 1
"$timeless" dump "$scratch/user_kernels.tl" >"$scratch/dump"
check "dump prints the names of the kernels" says '~^kernel 1 name="assemble"$' "$scratch/dump"
"$timeless" dump --json "$scratch/user_kernels.tl" >"$scratch/json"
check "dump --json prints the names of the kernels" says '~"call":"user",.*"kernel":"assemble"' "$scratch/json"
one_message() { [ "$(grep -c "kernel 'with MPI': calls MPI" "$scratch/said")" = 2 ] && ! grep -q 'without end' "$scratch/said"; }
check "each rank reports once that a kernel calls MPI" one_message
volume_of() { # RANK NUMBER-OF-EVENT
    "$print_events" "$scratch/user_kernels.tl" "$1" volumes | awk -v n="$2" 'NR == n {print $2}'
}
# Both kernels compute for as long. The half leaves room for interrupts, which count on a virtual machine.
counted() { [ "$(volume_of 1 8)" -gt 1000000 ] && [ $((2 * $(volume_of 1 7))) -lt "$(volume_of 1 8)" ]; }
check "computation in a kernel is volume only if the kernel calls MPI" counted
"$timeless" undump "$scratch/dump" -o "$scratch/again.tl"
check "undump keeps the kernels of a dump" same_text "$scratch/dump" "$timeless" dump "$scratch/again.tl"
"$timeless" info "$scratch/user_kernels.tl" >"$scratch/info"
check "info counts the kernels by name" says '~^ +8  user:assemble$' "$scratch/info"

ring='reference_flops = 1e9; units = ( { unit = "cpu-ns"; seconds_per_unit = 0.0; } ); seconds_per_flop = 1.0;'
others='{ kernel = "user:no sizes"; intercept_s = 0.0; per_work_s = 0.0; },
{ kernel = "user:outer"; intercept_s = 0.0; per_work_s = 0.0; },
{ kernel = "user:inner"; intercept_s = 0.0; per_work_s = 0.0; }'
echo "$ring kernels = ( $others );" >"$scratch/lacking.conf"
echo "$ring kernels = ( { kernel = \"user:assemble\"; intercept_s = 0.5; per_work_s = 0.001; }, $others );" >"$scratch/model.conf"
replay() { "$timeless" replay "$scratch/user_kernels.tl" --platform star-1g --model "$scratch/$1" --json="$scratch/$2" "${@:3}" \
    2>"$scratch/said"; }
replay lacking.conf none.json --model-strict
check "--model-strict: a model without the kernel is refused, and the kernel is named" says \
    "~no model of the kernel 'user:assemble'" "$scratch/said"
sed 's/seconds_per_unit = 0.0/seconds_per_unit = 1e-9/' "$scratch/lacking.conf" >"$scratch/volumes.conf"
check "without a line, the kernel takes the time of the recording" replay volumes.conf recorded.json
check "... and the prediction names it" says '~"kernels": "user:assemble' "$scratch/recorded.json"
check "a model with all kernels is accepted" replay model.conf user.json
# 4 * 0.5 s + (1000 + 2000 + 3000 + 504) * 1 ms
right_time() { python3 -c \
    'import json, sys; r = json.load(open(sys.argv[1]))["ranks"]; sys.exit(any(abs(x["kernel_s"] - 8.504) > 1e-6 for x in r))' \
    "$scratch/user.json"; }
check "a model with all kernels gives the right time" right_time

fortran() {
    (cd "$scratch" && ${MPIFC-mpifort} -o user_kernels_f "$top_srcdir/tracer/timeless_kernel.f90" \
        "$here/fortran/user_kernels.f90") && "$scratch/user_kernels_f" && record user_kernels_f 1
}
check "a Fortran program with kernels is recorded" fortran
cat >"$scratch/expected" <<'END'
MPI_Init
user kernel=1 list=[1,20]
user kernel=1 list=[2,20]
MPI_Barrier comm=1
MPI_Finalize
end 1
END
check "Fortran: the events are those of the C program" same_text "$scratch/expected" "$print_events" "$scratch/user_kernels_f.tl" 0

# The example of the manual: its program, then its commands.
example() { awk '/^\.SH EXAMPLE/ {here = 1} /^\.fi/ {on = 0} here && on; /^\.nf/ {on = 1}' "$top_srcdir/doc/timeless_kernel.3"; }
example >"$scratch/example.c"
check "the program of the manual compiles" $MPICC $header -o "$scratch/example" "$scratch/example.c"
check "the program of the manual is recorded" record example 2
"$timeless" dump "$scratch/example.tl" >"$scratch/dump"
check "the program of the manual: the trace has its kernel" says '~^0 [0-9]+ user kernel=1 list=\[1000,8\]' "$scratch/dump"
tap_done
