#!/usr/bin/env bash
# afl.sh SECONDS [HARNESS...]: the same harnesses under AFL++ (Debian's afl++), which brings a driver for
# libFuzzer's entry.  Run it in a configured build folder.  What is found lies in afl/HARNESS/out/default/
# crashes and hangs; tests/fuzz/fuzz_HARNESS of a build with --enable-sanitizers tells more of it.
set -eu
seconds=${1:?afl.sh SECONDS [HARNESS...]}
shift
src=$(cd "$(dirname "$0")/../.." && pwd)
[ -e config.h ] || { echo "afl.sh: no config.h here; run ./configure in this folder first" >&2; exit 2; }
[ $# -gt 0 ] || set -- $(cd "$src/tests/fuzz/corpus" && ls)
export AFL_USE_ASAN=1 AFL_USE_UBSAN=1 AFL_QUIET=1 AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 \
    AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
for name; do
    mkdir -p "afl/$name"
    if [ ! -e "afl/$name/fuzz" ] || [ \
        -n "$(find "$src/compress" "$src/tests/fuzz" "$src/tests/unit/same_event.h" -name '*.[chd]*' -newer "afl/$name/fuzz")" ]; then
        afl-clang-fast -g -O1 -std=gnu11 -fsanitize=fuzzer -DHAVE_CONFIG_H -DTIMELESS_EXPERIMENTAL -I. -I"$src/compress" \
            "$src"/compress/*.c "$src"/compress/*/*.c "$src/tests/fuzz/fuzz.c" "$src/tests/fuzz/fuzz_$name.c" -lzstd -o "afl/$name/fuzz"
    fi
    [ "$seconds" != 0 ] || continue
    # What it has found before goes on; else the seeds.
    seeds=$src/tests/fuzz/corpus/$name
    [ ! -d "afl/$name/out/default/queue" ] || seeds=-
    afl-fuzz -V "$seconds" -G 4096 -t 20000 -m none -i "$seeds" -o "afl/$name/out" -- "afl/$name/fuzz" >"afl/$name/log" 2>&1 ||
        { echo "$name: AFL++ failed, see afl/$name/log"; tail -n 20 "afl/$name/log"; exit 1; }
    stats=afl/$name/out/default/fuzzer_stats
    value() { sed -n "s/^$1 *: *//p" "$stats"; }
    [ "$(value saved_crashes)$(value saved_hangs)" = 00 ] || { echo "$name: a finding, see afl/$name/out/default/"; exit 1; }
    echo "$name: $(value execs_done) inputs without a finding"
done
