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
check 'so is a trace' without_simgrid info "$scratch/t.tl"
check 'and replayed by LogGOPS' without_simgrid replay "$scratch/t.tl" $by_loggops
check 'and swept' without_simgrid sweep "$scratch/t.tl" $by_loggops --grid params.L=1us,2us

by_simgrid() { looked_up bindings replay "$scratch/t.tl" --platform "$top_srcdir/platforms/star-1g" --no-compute >"$scratch/bindings"; }
check 'a replay by SimGrid' by_simgrid
for name in _ZN7simgrid6kernel8activity8CommImpl6finishEv _ZN7simgrid6kernel8activity8CommImpl6detachEv \
    _ZN7simgrid4smpi4Comm29increment_sent_messages_countEiii xbt_os_threadtimer_start PMPI_Initialized PMPI_Finalized \
    smpi_bench_begin smpi_bench_end _ZN7simgrid3s4u6Engine12get_instanceEv _ZN7simgrid4smpi3F2C5add_fEv \
    _ZN7simgrid6kernel7context7Context4selfEv _ZN7simgrid6kernel7context7Context11set_currentEPS2_ \
    '_ZN7simgrid6kernel7routing11NetZoneImpl30get_global_route_with_netzonesE[^'"'"']*'; do
    check "libsimgrid calls the module's $name" grep -q \
        "binding file [^ ]*libsimgrid[^ ]* \[0\] to [^ ]*libtimeless-smpi.so \[0\]: normal symbol .$name'" "$scratch/bindings"
done
check 'all that the module calls is there' env LD_BIND_NOW=1 "$timeless" replay "$scratch/t.tl" \
    --platform "$top_srcdir/platforms/star-1g" --no-compute

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

# ---- a module that cannot be used: of a build tree of its own ----
mkdir -p "$scratch"/tree/{cli,replayer/.libs}
cp "$(find "$top_builddir"/cli -type f -name timeless -size +100k | head -1)" "$scratch/tree/cli/timeless"
export LD_LIBRARY_PATH=$top_builddir/compress/.libs
refused() { # refused TEXT
    local rc=0
    "$scratch/tree/cli/timeless" replay "$scratch/t.tl" --platform "$top_srcdir/platforms/star-1g" --no-compute >"$scratch/said" 2>&1 || rc=$?
    [ $rc = 4 ] && [ "$(wc -l <"$scratch/said")" = 1 ] && grep -qF "$1" "$scratch/said" && return
    cat "$scratch/said"; return 1
}
echo nothing >"$scratch/tree/replayer/.libs/libtimeless-smpi.so"
check 'what is no module is refused' refused 'install Timeless with this engine, and SimGrid'
cp "$top_builddir/compress/.libs/libtimeless.so.0" "$scratch/tree/replayer/.libs/libtimeless-smpi.so"
check 'and so is one of another build' refused 'belongs to another build of Timeless'
tap_done
