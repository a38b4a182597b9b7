#!/usr/bin/env bash
# Only who replays by SimGrid loads it; there, the engine's functions take the place of SimGrid's.
. "$(dirname "$0")/../tap.sh"
"$timeless" make token -n 4 -o "$scratch/t.tl" || exit 99
by_loggops="--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536"

# looked_up WHAT ARGUMENT...: what the loader tells of WHAT while the command runs
looked_up() {
    local what=$1; shift
    LD_DEBUG=$what LD_DEBUG_OUTPUT=$scratch/loader "$timeless" "$@" >"$scratch/said" || return
    cat "$scratch"/loader.* && rm "$scratch"/loader.*
}
without_simgrid() { looked_up files "$@" >"$scratch/files" && grep -q libtimeless "$scratch/files" && ! grep simgrid "$scratch/files"; }
check 'the version is told without SimGrid' without_simgrid --version
check 'a trace is printed without SimGrid' without_simgrid info "$scratch/t.tl"
check 'LogGOPS replays a trace without SimGrid' without_simgrid replay "$scratch/t.tl" $by_loggops
check 'a sweep by LogGOPS runs without SimGrid' without_simgrid sweep "$scratch/t.tl" $by_loggops --grid params.L=1us,2us

# Each function of replayer/smpi/shims/table.h that takes the place of libsimgrid's is called by libsimgrid: the
# loader binds a name when it is called first.
by_simgrid() {
    looked_up bindings replay "$scratch/t.tl" --platform "$top_srcdir/platforms/star-1g" --no-compute --links >"$scratch/bindings"
}
check 'a replay by SimGrid' by_simgrid
version=$(simgrid_version)
# The parts written for this version.
parts=$(printf '%s\n' "#include \"$top_srcdir/replayer/smpi/shims/table.h\"" \
    '#define S(part, kind, first, last) @part first last@' 'SMPI_SHIMS(S)' |
    ${CC:-gcc} -E -P - | grep -o '@[^@]*@' | tr -d @ |
    awk -v version="$version" '$2 <= version && ($3 >= version || $3 == "SMPI_ANY_VERSION") { printf "%s%s", or, $1; or = "\\|" }')
replaced() { # the symbols of these parts
    printf '%s\n' "#include \"$top_srcdir/replayer/smpi/shims/table.h\"" '#define R(part, symbol) @part@ symbol' '#define N(part, symbol)' \
        'SMPI_SYMBOLS(R, N, N)' | ${CC:-gcc} -E -P - | sed 's/" "//g' | grep -o '@[A-Z]*@[^@]*' | grep "^@\($parts\)@" |
        sed -n 's/.*"\(.*\)".*/\1/p' | sort -u
}
n_replaced=0
for name in $(replaced); do
    check "libsimgrid calls the module's $name" grep -q \
        "binding file [^ ]*libsimgrid[^ ]* \[0\] to [^ ]*libtimeless-smpi.so \[0\]: normal symbol .$name'" "$scratch/bindings"
    n_replaced=$((n_replaced + 1))
done
least=30; [ "$version" = 332 ] || least=15
check "the module replaces at least $least functions" test $n_replaced -ge $least
check 'all that the module calls is there' env LD_BIND_NOW=1 "$timeless" replay "$scratch/t.tl" \
    --platform "$top_srcdir/platforms/star-1g" --no-compute

# ---- a function of SimGrid that Timeless does not get ----
libsimgrid=$(sed -n 's/.*binding file \([^ ]*libsimgrid[^ ]*\) .*/\1/p' "$scratch/bindings" | head -n 1)
check 'another library takes two of them' ${CC:-gcc} -shared -fPIC -o "$scratch/hinder.so" \
    -I"$top_builddir" -I"$top_srcdir/replayer" "$top_srcdir/tests/cli/hinder_simgrid.c" -ldl
hindered() { LD_PRELOAD=$scratch/hinder.so LIBSIMGRID=$libsimgrid "$timeless" replay "$scratch/t.tl" \
    --platform "$top_srcdir/platforms/star-1g" --no-compute -q "$@"; }
same_makespan() {
    local a b
    a=$(hindered) b=$("$timeless" replay "$scratch/t.tl" --platform "$top_srcdir/platforms/star-1g" --no-compute -q)
    echo "hindered: $a, otherwise $b"
    [ -n "$a" ] && [ "$a" = "$b" ]
}
check 'the replay goes on without one that only makes it faster' same_makespan
check 'an option that rests on one is refused' refused 3 \
    '~option timeless/local-overheads:no has no effect: this SimGrid [0-9.]* does not use Timeless. _ZNK*7simgrid4smpi4Host5orecv' \
    hindered --cfg=timeless/local-overheads:no
check 'the value that changes nothing is taken' hindered --cfg=timeless/local-overheads:yes
check 'options that rest on other functions are accepted' hindered --cfg=timeless/eager-order:yes --cfg=timeless/send-buffer:1000000

# ---- a version of SimGrid that no part has been tried with ----
echo 'void sg_version_get(int *a, int *b, int *c) { *a = 9; *b = 9; *c = 0; }' >"$scratch/version.c"
check 'another library states the version of SimGrid' ${CC:-gcc} -shared -fPIC -o "$scratch/version.so" "$scratch/version.c"
cp -r "$top_srcdir/platforms/star-1g" "$scratch/star" && sed -i /memory-bandwidth/d "$scratch/star/options.conf"
of_other_version() { LD_PRELOAD=$scratch/version.so "$timeless" replay "$scratch/t.tl" --platform "$scratch/star" --no-compute -q "$@"; }
check 'an option is refused with such a version' refused 3 \
    'option timeless/eager-order:yes has no effect: it holds for SimGrid 3.32 to 4.1, and this is 9.9; leave it out' \
    of_other_version --cfg=timeless/eager-order:yes

# ---- routes are kept until a link's latency changes ----
mkdir "$scratch/slows"
echo '0.02 1e-3' >"$scratch/slows/latency"
cat >"$scratch/slows/platform.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <host id="a" speed="1Gf"/> <host id="b" speed="1Gf"/>
    <link id="wire" bandwidth="125MBps" latency="24us" latency_file="latency"/>
    <route src="a" dst="b"><link_ctn id="wire"/></route>
  </zone>
</platform>
END
sed 's/ latency_file="latency"//' "$scratch/slows/platform.xml" >"$scratch/slows/steady.xml"
: >"$scratch/slows/options.conf"
printf 'a\nb\n' >"$scratch/hosts"
"$timeless" make ring -n 2 --bytes 1000 --iterations 200 -o "$scratch/ring.tl" &&
    "$timeless" export --to simgrid "$scratch/ring.tl" -o "$scratch/text" || exit 99
# simulated XML: by smpirun -replay
simulated() {
    "$SMPIRUN" -replay "$scratch/text/list.txt" -np 2 -platform "$scratch/slows/$1" -hostfile "$scratch/hosts" \
        --log=root.thres:critical --log=smpi_replay.thres:info '--log=root.fmt:%.17r%e%m%n' --cfg=smpi/host-speed:1Gf 2>&1 |
        sed -n 's/^\([0-9.]*\) Simulation time.*/\1/p'
}
follows_the_latency() {
    local a b c
    a=$("$timeless" replay "$scratch/ring.tl" --platform "$scratch/slows" --hostfile "$scratch/hosts" --no-compute -q)
    b=$(simulated platform.xml) c=$(simulated steady.xml)
    echo "ours $a, smpirun -replay $b, and $c if it did not change"
    awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { d = (a - b) / b; exit !(d < 1e-9 && d > -1e-9 && c > 0 && b > 1.5 * c) }'
}
check 'a latency that changes is followed' follows_the_latency

# ---- ranks sleep while they compute, but not where the speed of a host changes ----
printf '%s\n' '0.5 0.25' >"$scratch/slows/speed"
sed 's/ latency_file="latency"//; s/id="a" speed="1Gf"/& speed_file="speed"/' "$scratch/slows/platform.xml" >"$scratch/slows/fades.xml"
printf '%s\n' 'reference_flops = 1.0e9;' 'units = ( { unit = "flop"; seconds_per_unit = 1.0e-9; } );' >"$scratch/slows/model.conf"
for rank in 0 1; do
    printf '%s\n' "rank $rank host=\"h\"" "$rank 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000" 'end cut clock_ns=0'
done | sed '1i timeless-text 1\nranks 2\nvolume_unit "flop"' | "$timeless" undump - -o "$scratch/second.tl" || exit 99
# A quarter of the speed from 0.5 s on: half of the computation takes 2 s.
follows_the_speed() {
    local s
    s=$("$timeless" replay "$scratch/second.tl" --platform "$scratch/slows/fades.xml" --model "$scratch/slows/model.conf" --hostfile "$scratch/hosts" -q)
    echo "$s s"
    awk -v s="$s" 'BEGIN { exit !(s > 2.5 && s < 2.501) }'
}
check 'a speed that changes is followed' follows_the_speed

# ---- a module that cannot be used: of a build tree of its own ----
mkdir -p "$scratch"/tree/{cli,replayer/.libs}
cp "$(find "$top_builddir"/cli -type f -name timeless -size +100k | head -1)" "$scratch/tree/cli/timeless"
export LD_LIBRARY_PATH=$top_builddir/compress/.libs
by_tree=("$scratch/tree/cli/timeless" replay "$scratch/t.tl" --platform "$top_srcdir/platforms/star-1g" --no-compute)
echo nothing >"$scratch/tree/replayer/.libs/libtimeless-smpi.so"
check 'what is no module is refused' refused 4 'install Timeless with this engine, and SimGrid' "${by_tree[@]}"
cp "$top_builddir/compress/.libs/libtimeless.so.0" "$scratch/tree/replayer/.libs/libtimeless-smpi.so"
check 'a module of another build is refused' refused 4 'belongs to another build of Timeless' "${by_tree[@]}"
# ---- what they save ----
# used COMMAND...: its CPU seconds and its peak memory in kilobytes
used() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(u.ru_utime + u.ru_stime, u.ru_maxrss)' "$@"
}
printf '%s\n' 'skeleton 1' 'ranks 2' 'param N = 1' 'for i = 1 to N {' 'if rank == 0 {' 'MPI_Send peer=1 count=8 type_bytes=1 tag=0' \
    '} else {' 'MPI_Recv peer=0 count=8 type_bytes=1 tag=0' '}' '}' >"$scratch/ahead.skel"
grows_linearly() {
    local few many
    few=$(used "$timeless" replay "$scratch/ahead.skel" --set N=5000 --platform "$top_srcdir/platforms/star-1g" \
        --ranks-per-host 1 --cfg smpi/async-small-thresh:0) &&
        many=$(used "$timeless" replay "$scratch/ahead.skel" --set N=40000 --platform "$top_srcdir/platforms/star-1g" \
        --ranks-per-host 1 --cfg smpi/async-small-thresh:0)
    echo "5,000 messages: $few, 40,000: $many"
    awk -v few="${few% *}" -v many="${many% *}" 'BEGIN { exit !(few > 0 && many < 12 * few + 0.5) }'
}
needs_no_contents() {
    local own bruck
    "$timeless" make call_alltoall -n 64 --bytes 32768 -o "$scratch/alltoall.tl" &&
        own=$(used "$timeless" replay "$scratch/alltoall.tl" --platform "$top_srcdir/platforms/star-1g" --ranks-per-host 4) &&
        bruck=$(used "$timeless" replay "$scratch/alltoall.tl" --platform "$top_srcdir/platforms/star-1g" --ranks-per-host 4 \
        --coll alltoall=bruck)
    echo "by SMPI's own algorithm: $own, by bruck: $bruck"
    awk -v own="${own#* }" -v bruck="${bruck#* }" 'BEGIN { exit !(own > 0 && bruck < 1.5 * own) }'
}
for name in 'a sender that runs ahead by 40,000 messages takes at most 12 times the CPU time of 5,000:grows_linearly' \
    'a collective by another algorithm takes no memory for contents:needs_no_contents'; do
    if [ "$version" = 332 ]; then check "${name%:*}" "${name#*:}"
    else skip "${name%:*}" 'this version of SimGrid does not have the parts MAILBOX and CONTENTS'; fi
done
tap_done
