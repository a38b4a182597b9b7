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
    _ZN7simgrid4smpi4Comm29increment_sent_messages_countEiii xbt_os_threadtimer_start; do
    check "libsimgrid calls the module's $name" grep -q \
        "binding file [^ ]*libsimgrid[^ ]* \[0\] to [^ ]*libtimeless-smpi.so \[0\]: normal symbol .$name'" "$scratch/bindings"
done
check 'all that the module calls is there' env LD_BIND_NOW=1 "$timeless" replay "$scratch/t.tl" \
    --platform "$top_srcdir/platforms/star-1g" --no-compute

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
