#!/usr/bin/env bash
# run.sh SECONDS [HARNESS...]: builds (0 seconds: no more) and fuzzes each harness for so long, one after the other, with libFuzzer and
# the sanitizers (Debian's clang and libclang-rt-14-dev).  Run it in a configured build folder.  What is found lies in
# fuzz/HARNESS/crash-* there; copy it to tests/fuzz/corpus/HARNESS/ with the repair.  A harness that replays also
# prints how many replays each engine had and in how much CPU time: the plan's and the engine's, without what the harness
# takes to change and to read inputs.  FUZZ_ENGINE=loggops or smpi replays with this engine alone.
set -eu
seconds=${1:?run.sh SECONDS [HARNESS...]}
shift
src=$(cd "$(dirname "$0")/../.." && pwd)
[ -e config.h ] || { echo "run.sh: no config.h here; run ./configure in this folder first" >&2; exit 2; }
[ $# -gt 0 ] || set -- $(cd "$src/tests/fuzz/corpus" && ls)
# __SANITIZE_ADDRESS__ is what GCC defines with these options.
export FUZZ_CC="${CLANG:-clang} -g -O1 -std=gnu11 -fPIC -D__SANITIZE_ADDRESS__ -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
    -DHAVE_CONFIG_H -DTIMELESS_EXPERIMENTAL -DBINDIR=\"\" -DPKGLIBDIR=\"\" -DPKGLIBEXECDIR=\"\" -DPKGDATADIR=\"\" -I. -I$src/compress -I$src/replayer -I$src/platforms"

# sources NAME: what the harness is made of
sources() {
    echo compress/*.c compress/*/*.c
    [ "$1" = smpi ] || echo tests/fuzz/fuzz.c "tests/fuzz/fuzz_$1.c"
    case $1 in
    platform) echo platforms/generate/*.c ;;
    measurements) echo platforms/calibrate/network_read.c ;;&
    smpi) find replayer/smpi -name '*.c' ;;&
    replay_text) echo tests/fuzz/text_mutator.c ;;&
    replay_*) echo tests/fuzz/replays.c ;;&
    measurements | model | noise | options | replay_* | results | smpi)
        find replayer -name '*.c' ! -path '*/smpi/*' |
            grep -vE 'results/(report|otf2)' ;;
    esac
}

# build NAME OUT: compiles what has changed, each source once for all harnesses
build() {
    local file object objects=() stale=() kind=-fsanitize=fuzzer libs
    libs=$(sed -n 's/^OTF2_LIBS = //p' Makefile)
    [ "$1" != smpi ] || kind='-shared -Wl,-Bsymbolic' libs+=$(sed -n 's/^SIMGRID_LIBS = //p' Makefile)
    mkdir -p fuzz/objects
    if [ ! -e fuzz/objects/headers ] || [ \
        -n "$(find "$src/compress" "$src/replayer" "$src/tests" "$src/platforms" -name '*.[hd]*' -newer fuzz/objects/headers)" ]; then
        touch fuzz/objects/headers
    fi
    for file in $(cd "$src" && sources "$1"); do
        object=fuzz/objects/${file%.c}.o
        mkdir -p "${object%/*}"
        objects+=("$object")
        [ "$object" -nt "$src/$file" ] && [ "$object" -nt fuzz/objects/headers ] || stale+=("$object" "$src/$file")
    done
    [ ${#stale[@]} = 0 ] || printf '%s\n' "${stale[@]}" | xargs -n 2 -P "$(nproc)" sh -c 'exec $FUZZ_CC -c -o "$0" "$1"'
    [ ! -e "$2" ] || [ -n "$(find "${objects[@]}" -newer "$2")" ] || return 0
    # shellcheck disable=SC2086
    ${CLANG:-clang} $kind -fsanitize=address,undefined "${objects[@]}" $libs -lzstd -lgsl -lgslcblas -ljansson -lconfig -ldl -lm -o "$2"
}

for name; do
    mkdir -p "fuzz/$name/corpus" fuzz/replayer/.libs
    build "$name" "fuzz/$name/fuzz"
    # Harnesses find the SMPI engine here, with the sanitizers as well.
    case $name in replay_*) build smpi fuzz/replayer/.libs/libtimeless-smpi.so ;; esac
    [ "$seconds" != 0 ] || continue
    "fuzz/$name/fuzz" -max_total_time="$seconds" ${MAX_LEN:+-max_len="$MAX_LEN"} -timeout=120 -rss_limit_mb=1024 \
        -artifact_prefix="fuzz/$name/" -print_final_stats=1 \
        "fuzz/$name/corpus" "$src/tests/fuzz/corpus/$name" 2>"fuzz/$name/log" ||
        { echo "$name: a finding, see fuzz/$name/"; tail -n 30 "fuzz/$name/log"; exit 1; }
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "fuzz/$name/log") inputs in $seconds s without a finding"
    grep -a '^engine ' "fuzz/$name/log" || true
done
