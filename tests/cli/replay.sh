# timeless replay: the shipped platforms against smpirun, the outputs, and one clear line for each error.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_QUIET=1
use_platforms_without_overheads star-1g fat-tree local
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
cd "$scratch" || exit 1

cat >ring.c <<'C'
#include <mpi.h>
#include <stdio.h>
#ifdef ONLINE
#include <simgrid/engine.h>
#endif
static char in[1 << 19], out[1 << 19];
int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm half, twin;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(half, &twin);
    for (int i = 0; i < 12; i++) {
        MPI_Request q[2];
        MPI_Irecv(in, 3000 * i * i, MPI_BYTE, (rank + n - 1) % n, i, MPI_COMM_WORLD, &q[0]);
        MPI_Isend(out, 3000 * i * i, MPI_BYTE, (rank + 1) % n, i, MPI_COMM_WORLD, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    MPI_Allreduce(out, in, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(out, 100000, MPI_BYTE, 1, twin);
    MPI_Comm_free(&twin);
    MPI_Barrier(half);
    MPI_Allgather(out, 77, MPI_INT, in, 77, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
#ifdef ONLINE
    printf("end %.17g\n", simgrid_get_clock());
#endif
    return 0;
}
C
check 'the program compiles for Open MPI' $MPICC -o ring ring.c
check 'the program compiles for SMPI' $SMPICC -DONLINE -o ring_online ring.c
check 'a ring is recorded' $timeless record -o ring.tl -- $MPIRUN -np 4 ./ring

# online FOLDER HOSTFILE SELECTOR: the latest end of a rank under smpirun
online() {
    local cfg
    mapfile -t cfg < <(sed -n '/^#/d; /:/s/^/--cfg=/p' "$1/options.conf")
    $SMPIRUN -np 4 -platform "$1/platform.xml" -hostfile "$2" --log=root.thres:warning \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1f "${cfg[@]}" \
        --cfg=smpi/coll-selector:"$3" ./ring_online | sed -n 's/^end //p' | sort -g | tail -n 1
}
# agrees PLATFORM HOSTFILE SELECTOR
agrees() {
    local a b
    a=$(online "$TIMELESS_PLATFORMS/$1" "$2" "$3")
    b=$($timeless replay ring.tl --platform "$1" --hostfile "$2" --coll-selector "$3" --no-compute -q --cfg timeless/host-messages:yes)
    echo "online $a, replayed $b"
    awk -v a="$a" -v b="$b" 'BEGIN { d = (a - b) / a; exit !(a > 0 && d < 1e-9 && d > -1e-9) }'
}
printf 'node-%d\n' 0 1 2 3 >star; printf 'node-%d\n' 0 0 8 8 >tree; printf 'local-0\n%.0s' 1 2 3 4 >one
check 'star-1g agrees with smpirun' agrees star-1g star default
check 'fat-tree agrees with smpirun, two ranks a host' agrees fat-tree tree default
check 'local agrees with smpirun' agrees local one default
for selector in ompi mpich mvapich2 impi; do
    check "selector $selector agrees with smpirun" agrees fat-tree tree "$selector"
done

check 'SimGrid with ns-3, which other checks load without it, predicts the same' equal \
    "$(LD_LIBRARY_PATH= $timeless replay ring.tl --platform fat-tree --no-compute -q)" "$($timeless replay ring.tl \
    --platform fat-tree --no-compute -q)"

# What MPI ignores at ranks that are not the root: SMPI's two-level algorithms read it.
cat >rooted.c <<'C'
#include <mpi.h>
#include <stdio.h>
#ifdef ONLINE
#include <simgrid/engine.h>
#endif
static double in[16 * 5000], out[16 * 5000];
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int n = 1; n <= 5000; n *= 5000) {
        MPI_Scatter(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 3, MPI_COMM_WORLD);
        MPI_Gather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 5, MPI_COMM_WORLD);
        MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
#ifdef ONLINE
    printf("end %.17g\n", simgrid_get_clock());
#endif
    return 0;
}
C
$MPICC -o rooted rooted.c && $SMPICC -DONLINE -o rooted_online rooted.c
check 'rooted collectives are recorded' $timeless record -o rooted.tl -- $MPIRUN -np 16 ./rooted
for host in 0 1 8 9; do printf "node-$host\n%.0s" 1 2 3 4; done >rooted.hosts
rooted_agrees() { # COLLECTIVE:ALGORITHM
    local a b cfg
    mapfile -t cfg < <(sed -n '/^#/d; /:/s/^/--cfg=/p' "$TIMELESS_PLATFORMS/fat-tree/options.conf")
    a=$($SMPIRUN -np 16 -platform "$TIMELESS_PLATFORMS/fat-tree/platform.xml" -hostfile rooted.hosts --log=root.thres:error \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1f "${cfg[@]}" --cfg=smpi/"$1" ./rooted_online |
        sed -n 's/^end //p' | sort -g | tail -n 1)
    b=$($timeless replay rooted.tl -p fat-tree --hostfile rooted.hosts --coll-selector default --cfg smpi/"$1" --no-compute -q --cfg timeless/host-messages:yes)
    echo "online $a, replayed $b"
    awk -v a="$a" -v b="$b" 'BEGIN { d = (a - b) / a; exit !(a > 0 && d < 1e-9 && d > -1e-9) }'
}
for choice in scatter:{ompi_basic_linear,ompi_binomial,mvapich2_two_level_binomial,mvapich2_two_level_direct} \
    gather:{ompi_basic_linear,ompi_binomial} reduce:mvapich2_two_level; do
    check "$choice agrees with smpirun, four ranks a host" rooted_agrees $choice
done

check 'JSON to a file: the text is printed beside it' prints '~^makespan  ' \
    $timeless replay ring.tl --platform star-1g --json=first.json
check 'JSON in place of the text' $timeless replay ring.tl --platform star-1g --json
cp out second.json
check 'two predictions have the same bytes' cmp first.json second.json
check '--progress is accepted with -q' $timeless replay ring.tl --platform star-1g --progress -q

# replay_refused CODE NAME TEXT ARGUMENTS...
replay_refused() { check "$2" refused "$1" "$3" "$timeless" replay "${@:4}"; }
mkdir small no-xml wrong-xml; sed 's/0-15/0-2/; s/core="4"/core="1"/' "$TIMELESS_PLATFORMS/star-1g/platform.xml" >small/platform.xml
echo '<platform' >wrong-xml/platform.xml
head -c $(($(wc -c <ring.tl) / 2)) ring.tl >cut.tl; : >empty.tl; echo text >text.tl; echo nobody >nobody
replay_refused 3 'fewer hosts than ranks' '3 hosts have room for 3 ranks, but the trace has 4' ring.tl -p small --no-compute
replay_refused 3 'an unknown platform exits with 3' 'nowhere: is no file and no folder, .*fat-tree, .*local, .*star-1g' ring.tl -p nowhere
replay_refused 3 'a folder without a platform' 'no-xml: is a folder without a platform.xml' ring.tl -p ./no-xml
replay_refused 3 'a platform.xml that is not XML exits with 3' '~wrong-xml/platform.xml:[12]: .*XML' ring.tl -p wrong-xml --no-compute
UNIT=flops trace flops 'MPI_Barrier comm=1 volume=5 clock_ns=0'
replay_refused 3 'a unit without a rate names the units that have one' \
    "no rate for the unit 'flops' of flops.tl (it has: cpu-ns" flops.tl -p star-1g
replay_refused 3 'computation without a compute model exits with 3' \
    'no compute model (model.conf), which gives its time; give a platform that has one, --model FILE, or --no-compute' ring.tl \
    -p small --ranks-per-host 2
replay_refused 3 'a host that is not there' "nobody:1: the platform has no host 'nobody'" ring.tl -p star-1g --hostfile nobody
replay_refused 3 'an unknown SimGrid option' 'no/such' ring.tl -p star-1g --cfg no/such:1
replay_refused 3 'prediction of a truncated trace exits with 3' 'cut.tl' cut.tl -p star-1g
replay_refused 3 'prediction of an empty file exits with 3' 'empty.tl' empty.tl -p star-1g
replay_refused 3 'prediction of a text file exits with 3' 'text.tl' text.tl -p star-1g
replay_refused 2 'an unknown engine exits with 2' "'nobody' is not an engine" ring.tl -p star-1g --engine nobody
ompi_41() { # RANKS BYTES
    $timeless make call_bcast --ranks "$1" --bytes "$2" --iterations 3 -o bcast.tl &&
        $timeless replay bcast.tl -p fat-tree --ranks-per-host 1 --coll-selector ompi-4.1 -q
}
for ranks in 2 3 4 7 12 16; do
    for bytes in 8 500 100000 3000000; do
        check "$ranks ranks broadcast $bytes bytes as in Open MPI 4.1" ompi_41 $ranks $bytes
    done
done
check 'an unknown selector exits with 2: the known ones are named' refused 2 \
    "'nobody': give default, ompi, ompi-4.1, ompi-5.0, mpich, mvapich2, impi or recorded" \
    $timeless replay ring.tl -p star-1g --coll-selector nobody
check 'a JSON file without = is answered by --json=FILE' ends_with 2 'write --json=FILE for a JSON file' \
    $timeless replay ring.tl -p star-1g --json file.json
check_exit 2 'a replay without a trace exits with 2' $timeless replay -p star-1g
check_exit 2 'a replay without a platform exits with 2' $timeless replay ring.tl
check_exit 2 'no ranks on a host' $timeless replay ring.tl -p star-1g --ranks-per-host 0
check_exit 2 'not an option of SimGrid' $timeless replay ring.tl -p star-1g --cfg nonsense
check_exit 4 'JSON to a folder that does not exist exits with 4' $timeless replay ring.tl -p star-1g --json=no-xml/no/file.json
tap_done
