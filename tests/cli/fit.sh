#!/usr/bin/env bash
# timeless fit: the skeleton of three captures of a pattern has the events of the pattern at another size; laws of
# computation; what has no expression is refused by name.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99

# Events are compared without the call sites and the computation.
FILTER='s/ site=[0-9]*$//; s/ volume=[0-9]*//'

# ---- patterns ----

# capture PATTERN RANKS...: 1.tl 2.tl 3.tl, each with other bytes
capture() {
    local pattern=$1 ranks i=0
    shift
    for ranks in "$@"; do
        i=$((i + 1))
        "$timeless" make "$pattern" -n "$ranks" --bytes $((100 * i + i * i)) --iterations 1 -o $i.tl || return
    done
}
fit() { "$timeless" fit 1.tl 2.tl 3.tl --parameter bytes=101,204,309 -o "$1.skel" -q; }
n_patterns=0
for name in $("$timeless" make --help | sed -n '/^Patterns/,$s/^  \([a-z][a-z0-9_]*\) .*/\1/p'); do
    case $name in
        stencil3d) sizes='27 64 125' other=216 ;;
        stencil2d | sweep) sizes='9 16 25' other=36 ;;
        doubling) sizes='4 8 16' other=64 ;;
        *) sizes='5 12 16' other=23 ;;
    esac
    n_patterns=$((n_patterns + 1))
    capture $name $sizes
    case $name in
        random) why='no expression has the values of peer' ;;
        # A call site for calls in several orders: the calls of ranks with other neighbours cannot be told apart.
        sweep) why='no expression has the numbers of iterations' ;;
        *) why= ;;
    esac
    if [ -n "$why" ]; then
        check "$name is refused: $why" refused 3 "$why" fit refused
        continue
    fi
    check "$name: three captures have a skeleton" fit $name
    "$timeless" make $name -n $other --bytes 777 --iterations 1 -o other.tl
    check "$name: it has the events of $other ranks" same_events $name.skel,ranks=$other,bytes=777 other.tl
done
check 'all patterns were fitted' test $n_patterns -ge 23
captured() { capture "$@" && fit warns; }
no_warning() { captured "$@" 2>said && ! grep -q warning said; }
check 'captures that check nothing: a warning' warns 'no fit without one of the captures was possible' captured ring 4 9 16
check 'captures that leave other calls open: a warning' warns '1 of the fits without one of the captures made other calls' \
    captured dissemination 4 9 16
check 'captures that agree: no warning' no_warning stencil2d 4 9 16

# With a call site for each call, as recorded programs have them, two of the refused patterns are equal, too.
cat >sweep.skel <<'EOS'
skeleton 1
ranks 16
param bytes = 8
grid g = root(ranks, 2), root(ranks, 2)
let west = neighbour(g, 1, -1)
let east = neighbour(g, 1, 1)
let north = neighbour(g, 0, -1)
let south = neighbour(g, 0, 1)
if west != null { MPI_Recv peer=west count=bytes }
if north != null { MPI_Recv peer=north count=bytes }
if east != null { MPI_Send peer=east count=bytes }
if south != null { MPI_Send peer=south count=bytes }
if east != null { MPI_Recv peer=east count=bytes }
if south != null { MPI_Recv peer=south count=bytes }
if west != null { MPI_Send peer=west count=bytes }
if north != null { MPI_Send peer=north count=bytes }
EOS
cp "$top_srcdir/traces/skeletons/token.skel" .
for name in sweep token; do
    i=0
    for ranks in 9 16 25; do
        i=$((i + 1))
        "$timeless" make $name.skel ranks=$ranks bytes=$((100 * i + i * i)) -o $i.tl
    done
    check "$name with call sites: three captures have a skeleton" fit with-sites
    "$timeless" make $name -n 36 --bytes 777 --iterations 1 -o other.tl
    check "$name with call sites: it has the events of 36 ranks" same_events with-sites.skel,ranks=36,bytes=777 other.tl
done

# ---- parameters and computation ----

# program NAME RANKS N STEPS: its trace
program() { "$timeless" make program.skel ranks=$2 N=$3 steps=$4 -o $1.tl; }
cat >program.skel <<'EOS'
skeleton 1
ranks 4
param N = 100
param steps = 10
unit "instructions"
grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)
let rows = local(N, 1, coord(g, 0), dims(ranks, 2, 0))
let columns = local(N, 1, coord(g, 1), dims(ranks, 2, 1))
MPI_Bcast peer=0 count=3 type_bytes=4
for step = 1 to steps {
    MPI_Irecv peer=neighbour(g, 0, -1) count=columns type_bytes=8 tag=1 request=halo
    MPI_Irecv peer=neighbour(g, 0, 1) count=columns type_bytes=8 tag=2 request=halo
    if neighbour(g, 1, -1) != null {
        MPI_Irecv peer=neighbour(g, 1, -1) count=rows type_bytes=8 tag=3 request=halo
    }
    compute 5 * rows * columns + 100
    MPI_Isend peer=neighbour(g, 0, 1) count=columns type_bytes=8 tag=1 request=halo
    MPI_Isend peer=neighbour(g, 0, -1) count=columns type_bytes=8 tag=2 request=halo
    if neighbour(g, 1, 1) != null {
        MPI_Isend peer=neighbour(g, 1, 1) count=rows type_bytes=8 tag=3 request=halo
    }
    MPI_Waitall request=halo
    dgemm m=rows n=columns k=2 * N + 1
    if step % 5 == 0 {
        MPI_Allreduce count=1 type_bytes=8
    }
}
compute 7 * N * N
MPI_Gather peer=0 count=N type_bytes=8
EOS
program 1 6 100 17 && program 2 9 150 11 && program 3 16 210 24 && program 4 12 333 26
captures='1.tl 2.tl 3.tl 4.tl'
values='--parameter N=100,150,210,333 --parameter steps=17,11,24,26'
check 'a program with loops, conditions and sizes has a skeleton' "$timeless" fit $captures $values -o fitted.skel
cp "$scratch/out" report
program other 35 1000 50
check 'it has the calls of another size' same_events fitted.skel,ranks=35,N=1000,steps=50 other.tl
volume() { "$timeless" dump "$1" | sed -n 's/.* volume=\([0-9]*\).*/\1/p' | awk '{n += $1} END {printf "%.0f\n", n}'; }
same_volume() { awk -v a="$(volume "$1")" -v b="$(volume "$2")" 'BEGIN {print a, b; exit !(a > 0.98 * b && a < 1.02 * b)}'; }
check 'its computation is that of the other size within 2 %' same_volume fitted.skel,ranks=35,N=1000,steps=50 other.tl
check 'the report names the captures' grep -q '^has all calls of capture 2 (ranks=9, N=150, steps=11): ' report
check 'the report has the cross-validation' grep -q '^fitted without capture 4 (ranks=12, N=333, steps=26): has all of its' report
check 'the skeleton contains the report' bash -c 'sed "s/^/# /" report | grep -vxFf fitted.skel; [ $? -eq 1 ]'
check 'the skeleton goes to standard output' bash -c '"$1" fit $2 $3 | cmp - fitted.skel' - "$timeless" "$captures" "$values"
# The MPI library of the captures decides about the algorithms of collectives.
recorded_by() { "$timeless" dump $1.tl | sed "s/^mpi_library .*/mpi_library \"$2\"/" >$1.txt && "$timeless" undump $1.txt -o $1.tl; }
for i in 1 2 3 4; do recorded_by $i 'Open MPI v4.1.4, package: x' || break; done
check 'captures with an MPI library have a skeleton' "$timeless" fit $captures $values -o library.skel
check 'which names the library' grep -qx 'mpi "Open MPI v4.1.4, package: x"' library.skel
check 'replay uses its algorithms of collectives' prints 'collectives ompi-4.1' "$timeless" replay library.skel --ranks 9 \
    --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --no-compute
check 'its trace has the library' bash -c '"$1" make library.skel -o made.tl && "$1" info made.tl | grep "MPI library  *Open MPI v4.1.4, package: x$"' - \
    "$timeless"
check 'a study of scaling uses and names them' prints 'collectives ompi-4.1' "$timeless" study scaling library.skel \
    --ranks 4,9 --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --no-compute
recorded_by 3 'Open MPI v5.0.7'
check 'captures with two MPI libraries: the report says so' prints 'the captures do not name one MPI library' "$timeless" fit $captures \
    $values -o library.skel
check 'and the skeleton names none' bash -c '! grep "^mpi " library.skel'
# A law whose coefficient is below a thousandth: a long run of a small loop.
sed 's/compute 7 \* N \* N/compute 7 * N * N \/ 10000/; s/compute 5 .*/compute 0/' program.skel >small.skel
mv program.skel kept.skel && mv small.skel program.skel
program 1 6 10000 17 && program 2 9 15000 11 && program 3 16 21000 24 && program 4 12 33300 26
check 'a small coefficient has a skeleton' "$timeless" fit -q $captures --parameter N=10000,15000,21000,33300 \
    --parameter steps=17,11,24,26 -o small.skel
program other 35 100000 50
check 'its computation is that of the other size' same_volume small.skel,ranks=35,N=100000,steps=50 other.tl
mv kept.skel program.skel
# Shares of a size: whole numbers would make 0 of 49 / 64.
shares() { # COMPUTATION RANKS:K...
    printf '%s\n' 'skeleton 1' 'ranks 4' 'param k = 7' 'unit "instructions"' "compute $1" 'MPI_Allreduce count=1' >shares.skel
    shift
    local i=0 size
    for size; do
        i=$((i + 1))
        "$timeless" make shares.skel ranks=${size%:*} k=${size#*:} -o $i.tl || return
    done
}
check 'captures with shares of a small size' shares '1000000 * k * k / ranks' 2:7 4:9 8:7 16:12
check 'have a skeleton' "$timeless" fit [1-4].tl --parameter k=7,9,7,12 -o shared.skel
check 'which divides last' grep -q '^compute 1000000 \* (\?k \* k)\? / ranks ' shared.skel
check 'its computation is that of more ranks than the size' same_volume shared.skel,ranks=64,k=7 shares.skel,ranks=64,k=7
check 'captures with a product that has no room for larger sizes' shares '100000 * (k * k * k / ranks)' 2:1000 4:1203 9:2001 15:3001
check 'have a skeleton that divides first' prints 'compute 100000 * (k * k * k / ranks) ' "$timeless" fit [1-4].tl \
    --parameter k=1000,1203,2001,3001
check 'captures with one value of a size that ranks share' shares '1000 * local(k, 1, rank, ranks)' 4:30 6:30 9:30
check 'the report says that other values may be wrong' prints 'k is the same in all captures: values that depend on it may be wrong' \
    "$timeless" fit [1-3].tl --parameter k=30,30,30
# More ranks for the same problem, without a parameter.
check 'captures of one problem on several numbers of ranks' shares '1000000 + 6400000 / ranks' 2:7 4:7 8:7 16:7
check 'have a skeleton without a parameter' "$timeless" fit [1-4].tl -o strong.skel
check 'whose computation is shared by the ranks' grep -q '^compute 6400000 / ranks + 1000000 # relative residual 0.000$' strong.skel
check 'also by more of them' same_volume strong.skel,ranks=256 shares.skel,ranks=256
# Computation that no size explains: most of it in one law, or a little beside another one.
irregular() { # COMPUTATION
    printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' "unit \"${unit:-instructions}\"" "$1" 'MPI_Barrier' 'compute 1000 * N' \
        'MPI_Allreduce count=1' >irregular.skel
    local i=0 size
    for size in '4 8' '6 12' '9 31'; do
        i=$((i + 1))
        set -- $size
        "$timeless" make irregular.skel ranks=$1 N=$2 -o $i.tl || return
    done
    "$timeless" fit [1-3].tl --parameter N=8,12,31 -q -o irregular-fitted.skel
}
no_law() { irregular "$1" 2>said && ! grep 'no law fits' said; }
check 'a law that is wrong for most of the computation: a warning' warns 'no law fits 48.5 % of the computation: 1 with' \
    irregular 'compute (rank * 7919 + N * 31) % 97 % 2 * 40000'
check 'the skeleton has it, too' grep -q '^# warning: no law fits 48.5 %' irregular-fitted.skel
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "instructions"; seconds_per_unit = 1e-9;});' >ns.conf
loggops=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --model ns.conf)
check 'replay repeats it' warns 'irregular-fitted.skel,ranks=8: no law fits 48.5 %' "$timeless" replay irregular-fitted.skel --ranks 8 "${loggops[@]}"
check 'study repeats it' warns 'irregular-fitted.skel,N=9: no law fits 48.5 %' "$timeless" study scaling irregular-fitted.skel,N=9 \
    --ranks 4,8 "${loggops[@]}"
without_computation() { "$timeless" replay irregular-fitted.skel --no-compute "${loggops[@]:0:4}" 2>said && ! grep 'no law' said; }
check 'replay without computation does not' without_computation
noisy() { unit=cpu-ns irregular 'compute (rank * 7919 + N * 31) % 97 % 2 * 40000'; }
check 'of CPU time: the warning names volumes without noise' warns 'record without the noise of CPU time (record --volume exact), or capture' noisy

# ---- parallel regions of OpenMP ----

# threaded THREADS NAME: captures of 4, 6 and 9 ranks, each thread of a rank computes 1000 * N
threaded() {
    local size i=0 work rank
    for size in '4 8' '6 12' '9 31'; do
        i=$((i + 1)); set -- "$1" "$2" $size; work=$((1000 * $4))
        { printf '%s\n' 'timeless-text 1' "ranks $3" 'volume_unit "cpu-ns"'
          for ((rank = 0; rank < $3; rank++)); do
              printf '%s\n' "rank $rank host=\"h\"" "$rank 0 MPI_Init clock_ns=0" \
                  "$rank 1 Parallel list=[0,0,0$(printf ",$work%.0s" $(seq $1))] volume=$(($1 * work)) site=0" \
                  "$rank 2 MPI_Barrier comm=1 clock_ns=0" "$rank 3 MPI_Finalize clock_ns=0" 'end finalized clock_ns=0'
          done; } | "$timeless" undump - -o $i.tl || return
    done
    "$timeless" fit [1-3].tl --parameter N=8,12,31 -q -o $2.skel
}
check 'regions of threads become computation of one thread: a warning' \
    warns 'the computation of up to 8 threads became that of one, so its time is up to 8 times too long' threaded 8 threads
check 'the skeleton of threads has it, too' grep -q '^# warning: .* up to 8 threads' threads.skel
sed 's/instructions/cpu-ns/' ns.conf >cpu.conf
check 'replay repeats the warning of threads' warns 'threads.skel: a skeleton has no parallel regions' \
    "$timeless" replay threads.skel "${loggops[@]:0:4}" --model cpu.conf
check '--rank-threads on a skeleton: only traces have regions' refused 3 \
    'has no parallel regions of OpenMP, because only traces have them, so a number of threads changes nothing; replay a trace' \
    "$timeless" replay threads.skel "${loggops[@]:0:4}" --model cpu.conf --rank-threads 2
one_thread() { threaded 1 one 2>said && ! grep 'threads' said one.skel; }
check 'regions of one thread need no warning' one_thread
check 'a law that is wrong for little of it: no warning' no_law 'compute (rank * 7919 + N * 31) % 97 % 2 * 400'

# ---- what is no structure ----

# As programs do it: clocks, failed tests, probes, receives from anyone, waits for any request, persistent requests.
cat >orderly.skel <<'EOS'
skeleton 1
ranks 4
param N = 10
param steps = 3
unit "instructions"
for step = 1 to steps {
    if rank == 0 {
        for k = 1 to ranks - 1 {
            MPI_Irecv peer=k count=N type_bytes=8 tag=4 request=r
        }
        compute 50
        MPI_Waitall request=r
        for k = 1 to ranks - 1 {
            MPI_Recv peer=k count=2 * N
        }
    } else {
        MPI_Send peer=0 count=N type_bytes=8 tag=4
        MPI_Send peer=0 count=2 * N
    }
    MPI_Irecv peer=(rank - 1) % ranks count=3 request=s
    MPI_Isend peer=(rank + 1) % ranks count=3 request=s
    compute 100
    MPI_Waitall request=s
    MPI_Allreduce count=1 type_bytes=8
}
EOS
cat >disorder.awk <<'EOS'
function put(text) { print rank, n++, text }
function sites(text) {
    print text
    print "site 90 object=\"a\" offset=90 function=\"\" file=\"a\" line=90"
    print "site 91 object=\"a\" offset=91 function=\"\" file=\"a\" line=91" }
/^rank / { rank = $2; n = turn = 0; sites($0); next }
!/^[0-9]/ { print; next }
{ call = $3; rest = $0; sub(/^[0-9]+ [0-9]+ /, "", rest); volume = $0; sub(/.*volume=/, "", volume); sub(/ .*/, "", volume) }
call == "MPI_Init" { put(rest)
    put("MPI_Recv_init count=3 type_bytes=1 peer=" (rank + ranks - 1) % ranks " tag=0 comm=1 request=1001 site=90")
    put("MPI_Send_init count=3 type_bytes=1 peer=" (rank + 1) % ranks " tag=0 comm=1 request=1002 site=91"); next }
call == "MPI_Finalize" { put("MPI_Request_free request=1001"); put("MPI_Request_free request=1002"); put(rest); next }
/count=3 / { if (call == "MPI_Isend") put("MPI_Startall list=[1001,1002] site=90"); next }
/list=/ && volume == 100 { sub(/list=[^ ]*/, "list=[1002,1001]", rest); put(rest); next }
call == "MPI_Irecv" { sub(/peer=[0-9]*/, "peer=any", rest); put(rest); next }
# The last message comes first, into the second receive; two requests complete in one call, after the others.
call == "MPI_Waitall" {
    split("", source)
    for (i = 1; i < ranks; i++) source[i] = 1 + (i + 1 + turn) % (ranks - 1)
    turn++
    for (i = ranks - 1; i > 2; i--) {
        put("Match peer=" source[i] " tag=4 request=" i); put("MPI_Waitany list=[" i "] volume=" (i == ranks - 1 ? 40 : 0) " polls=2 site=91") }
    put("Match peer=" source[1] " tag=4 request=1"); put("Match peer=" source[2] " tag=4 request=2")
    put("MPI_Waitsome list=[1,2] volume=10 site=91"); next }
call == "MPI_Recv" { k = 0; sub(/.* peer=/, "", $0); from = ranks - int($0)
    put("MPI_Iprobe peer=" from " tag=0 comm=1 volume=0 polls=" from)
    put("Match peer=" from " tag=0 request=0"); sub(/peer=[0-9]*/, "peer=any", rest); put(rest); next }
call == "MPI_Allreduce" { for (i = 0; i <= rank % 2; i++) put("MPI_Wtime clock_ns=" 5 * n " polls=" turn); put(rest); next }
{ put(rest) }
EOS
disorderly() { "$timeless" dump orderly.skel,ranks=$2,N=$3,steps=$4 | awk -v ranks=$2 -f disorder.awk | "$timeless" undump - -o $1.tl; }
disordered() {
    disorderly 1 4 10 3 && disorderly 2 6 25 2 && disorderly 3 9 31 5 && "$timeless" dump 2.tl | grep 'Irecv .*peer=any'
}
check 'captures whose order depends on what came first' disordered
check 'have a skeleton' "$timeless" fit [1-3].tl --parameter N=10,25,31 --parameter steps=3,2,5 -o ordered.skel
cp "$scratch/out" report
"$timeless" make orderly.skel ranks=13 N=50 steps=4 -o other.tl
# The parts of a wait for any request are computed before the first of them, or before the next call.
check 'which has the calls of the program in one order, at another size' same_events ordered.skel,ranks=13,N=50,steps=4 other.tl
check 'and its computation' same_volume ordered.skel,ranks=13,N=50,steps=4 other.tl
check 'the report counts what was dropped' grep -q '^dropped, in all captures: .*19 MPI_Recv_init, .*MPI_Iprobe.*MPI_Wtime' report
check 'the report counts what was ordered' grep -q '^order assumed, in all captures: .*MPI_Waitsome.*receives from any source' report

# ---- many iterations ----
cat >many.skel <<'EOS'
skeleton 1
ranks 4
param N = 100
param M = 10
param K = 5
repeat K {
    MPI_Isend peer=(rank + 1) % ranks count=8 * N request=r
    MPI_Irecv peer=(rank - 1) % ranks count=8 * N request=r
    MPI_Waitall request=r
    MPI_Allreduce count=M
}
EOS
"$timeless" make many.skel,ranks=4,N=100,M=10,K=20000 -o 1.tl && "$timeless" make many.skel,ranks=4,N=200,M=10,K=20000 -o 2.tl &&
    "$timeless" make many.skel,ranks=4,N=100,M=30,K=20010 -o 3.tl && "$timeless" make many.skel,ranks=6,N=150,M=20,K=10000 -o 4.tl
# It takes 5 times the CPU time that `dump` takes to print the captures; 68 times when it looked at each expression in each iteration.
many() { "$timeless" fit 1.tl 2.tl 3.tl 4.tl -P N=100,200,100,150 -P M=10,10,30,20 -P K=20000,20000,20010,10000 -o fitted.skel -q; }
dumps() { local i; for i in 1 2 3 4; do "$timeless" dump $i.tl >/dev/null || return; done; }
cpu_of() { TIMEFORMAT='%U %S'; { time "$1" >&2; } 2>&1 | tail -n 1 | awk '{ print $1 + $2 }'; }
in_time() {
    local fit dump
    fit=$(cpu_of many) dump=$(cpu_of dumps)
    echo "fit $fit s, dump $dump s"
    awk -v fit="$fit" -v dump="$dump" 'BEGIN { exit !(dump > 0 && fit < 25 * dump) }'
}
if [ -n "$SANITIZE" ]; then
    skip 'many iterations take little more CPU time than to read them' 'needs the plain build'
else
    check 'many iterations take little more CPU time than to read them' in_time
    check 'and have the right numbers' grep -q 'for i0 = 0 to K - 1 {' fitted.skel
fi

# ---- many loops in a loop ----
# If they are taken for one loop, each of its iterations makes one of 120 calls.
loops() { # RANKS TAG
    printf 'skeleton 1\nranks %d\nrepeat 2 {\n' "$1"
    local i
    for i in {1..60}; do
        printf 'repeat 10 {\nMPI_Send peer=(rank + 1) %% ranks count=%d tag=%d\n' "$i" $((i == 7 ? $2 : 0))
        printf 'MPI_Recv peer=(rank - 1) %% ranks count=%d tag=%d\n}\n' "$i" $((i == 7 ? $2 : 0))
    done
    echo '}'
}
many_loops() { # from one file, so that the call sites are the same
    local i=0 one
    for one in '4 17' '6 90' '9 5'; do
        i=$((i + 1))
        loops $one >many-loops.skel && "$timeless" make many-loops.skel -o $i.tl || return
    done
}
# 18 MB; 222 MB when the samples of all arrangements of the loops were made.
with_little_memory() { (ulimit -v 150000 && "$timeless" fit [1-3].tl --holes nearest -o loops.skel); }
check 'captures of many loops in a loop, with a tag that nothing explains' many_loops
if [ -n "$SANITIZE" ]; then
    skip 'have a skeleton, with little memory' 'needs the plain build'
else
    check 'have a skeleton, with little memory' with_little_memory
    check 'in which the tag is copied' grep -q 'MPI_Send .*tag=copied(' loops.skel
fi
tap_done
