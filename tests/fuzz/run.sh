#!/usr/bin/env bash
# run.sh SECONDS [HARNESS...]: builds (0 seconds: no more) and fuzzes each harness for so long, one after the other, with libFuzzer and
# the sanitizers (Debian's clang and libclang-rt-14-dev).  Run it in a configured build folder.  What is
# found lies in fuzz/HARNESS/crash-* there; copy it to tests/fuzz/corpus/HARNESS/ with the repair.
set -eu
seconds=${1:?run.sh SECONDS [HARNESS...]}
shift
src=$(cd "$(dirname "$0")/../.." && pwd)
[ -e config.h ] || { echo "run.sh: no config.h here; run ./configure in this folder first" >&2; exit 2; }
[ $# -gt 0 ] || set -- $(cd "$src/tests/fuzz/corpus" && ls)
for name; do
    mkdir -p "fuzz/$name/corpus"
    if [ ! -e "fuzz/$name/fuzz" ] || [ -n "$(find "$src/compress" "$src/tests/fuzz" "$src/tests/unit/same_event.h" -name '*.[chd]*' -newer "fuzz/$name/fuzz")" ]; then
        ${CLANG:-clang} -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
            -DHAVE_CONFIG_H -I. -I"$src/compress" "$src"/compress/*.c "$src"/compress/*/*.c "$src/tests/fuzz/fuzz.c" \
            "$src/tests/fuzz/fuzz_$name.c" -lzstd -o "fuzz/$name/fuzz"
    fi
    [ "$seconds" != 0 ] || continue
    "fuzz/$name/fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=120 -rss_limit_mb=1024 \
        -artifact_prefix="fuzz/$name/" -print_final_stats=1 \
        "fuzz/$name/corpus" "$src/tests/fuzz/corpus/$name" 2>"fuzz/$name/log" ||
        { echo "$name: a finding, see fuzz/$name/"; tail -n 30 "fuzz/$name/log"; exit 1; }
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "fuzz/$name/log") inputs in $seconds s without a finding"
done
