#!/usr/bin/env bash
# timeless calibrate cpu: rates of bursts by call site, of made-up traces and of a program.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/calibrate_paths.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# trace FILE UNIT RANKS FIRST SECOND [OFFSET]: ten times a burst of FIRST before site 1, one of SECOND before site 2
trace() {
    {
        printf 'timeless-text 1\nranks %d\nvolume_unit "%s"\nprogram "p"\n' "$3" "$2"
        for ((rank = 0; rank < $3; rank++)); do
            printf 'rank %d host="h"\nsite 1 object="app" offset=%d\nsite 2 object="app" offset=256\n' $rank "${6:-16}"
            for ((i = 0; i < 10; i++)); do
                printf '%d %d MPI_Wtime clock_ns=0 site=1 volume=%d\n%d %d MPI_Wtime clock_ns=0 site=2 volume=%d\n' \
                    $rank $((2 * i)) "$4" $rank $((2 * i + 1)) "$5"
            done
            printf 'end cut clock_ns=0\n'
        done
    } | "$timeless" undump - -o "$1"
}
check 'a run in CPU time' trace timed.tl cpu-ns 2 1000000 6000000
check 'a counted trace is made' trace counted.tl instructions 2 2000000 3000000
check 'another, with other shares' trace other.tl instructions 1 0 1000000
check 'a trace of another program is made' trace stranger.tl instructions 2 5000000 5000000 4096
check 'rates by call site' "$timeless" calibrate cpu timed.tl counted.tl -o cpu.conf
cp err said
check 'the number of classes is reported' grep -q '3 classes of bursts with 100.0% of the time' said
seconds() { # TRACE MODEL OPTION...
    "$timeless" replay "$1" -p local --model "$2" -q "${@:3}"
}
check 'the counted run takes the measured time' near "$(seconds counted.tl cpu.conf)" 0.07 1e-3
check 'in the other engine, too' near \
    "$("$timeless" replay counted.tl --engine loggops --params L=1us,o=0,g=0,G=0,O=0 --model cpu.conf -q)" 0.07 1e-3
check 'each burst has the rate of its own class' near "$(seconds other.tl cpu.conf)" 0.02 1e-3
# Sites of another program: the mean rate, 7 ms for 5e6.
check 'what is of no class has the mean rate' near "$(seconds stranger.tl cpu.conf)" "10 * 1e7 * 7e-3 / 5e6" 1e-3
check 'CPU time keeps its rate' near "$(seconds timed.tl cpu.conf)" 0.07 1e-3
cp -r "$top_srcdir/platforms/star-1g" here
chmod -R u+w here
check 'rates go into a platform folder' "$timeless" calibrate cpu timed.tl counted.tl -o here
check 'a replay uses the rates of the folder' near "$("$timeless" replay counted.tl -p ./here -q)" 0.07 1e-3
check 'the folder keeps its kernels' equal "$(grep -c 'kernel = ' here/model.conf)" \
    "$(grep -c 'kernel = ' "$top_srcdir/platforms/star-1g/model.conf")"
check 'calibrated again, it is the same' "$timeless" calibrate cpu timed.tl counted.tl -o here
origin="^# Rates of 'instructions' by call sites: 'timeless calibrate cpu' .*, p on 2 ranks, counted by .*: 3 classes with 100.0% of the CPU time of one run"
check 'the head of the model states the measurement, once' test "$(grep -c "$origin" here/model.conf)" = 1
check 'the head keeps the measurement of the kernels' equal "$(grep -c "^# Measured by 'timeless calibrate cpu'" here/model.conf)" 1
check 'with one rate each' test "$(grep -c '"instructions"' here/model.conf)" = 1
check_exit 4 'a program that fails' "$timeless" calibrate cpu -- false
# Mistakes are found before anything is run, and leave the files of the user.
mkdir empty
refuses_paths "$timeless" calibrate cpu -- sleep 60
sed 's/^reference_flops = .*/reference_flops = 3e9;/' cpu.conf >mine.conf
check 'a model gets rates' "$timeless" calibrate cpu timed.tl counted.tl -o mine.conf
check '... and keeps all else' grep -q '^reference_flops = 3' mine.conf
mkdir temporary
cp cpu.conf kept.conf
TMPDIR=$scratch/temporary timeout -s INT 1 "$timeless" calibrate cpu -o kept.conf --archive none -- sleep 20 2>said
check 'an interrupted program leaves the model' cmp cpu.conf kept.conf
check '... and no temporary file' equal "$(ls -A temporary; echo none)" none

cat >program.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    volatile double x = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 1000000; j++)
            x += 1;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int j = 0; j < 1000000; j++)
            x = 1 / (x + 3);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return x < 0;
}
END
if uses_mpich; then
    skip 'a program that mpiexec starts is calibrated' "with MPICH's launcher the emulator needs record -n N PROGRAM"
elif [ -z "${SANITIZE:-}" ]; then
    check 'a program compiles' "$MPICC" -O1 -o program program.c
    check 'a program is recorded twice and calibrated' "$timeless" calibrate cpu -o program.conf -- "$MPIRUN" -np 2 ./program
    check 'with classes of its own' grep -q 'from = "program+0x' program.conf
    cp cpu-*Z/raw/counted.tl app.tl
    check 'a program whose volume is known runs once' "$timeless" calibrate cpu --for app.tl -o for.conf --archive none \
        -- "$MPIRUN" -np 2 ./program
    cp err said
    check 'no instructions are counted' sh -c '! grep -q "emulator\|exact" said'
    check 'and it has classes, too' grep -q 'from = "program+0x' for.conf
else
    skip 'a program is calibrated' 'its instructions are counted in an emulator (tests/mpi/exact.sh); the plain build is tested'
fi
tap_done
