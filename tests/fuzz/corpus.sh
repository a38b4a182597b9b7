#!/usr/bin/env bash
# The harnesses run on the seeds and on what fuzzing has found before.
. "$(dirname "$0")/../tap.sh"
for harness in "$top_srcdir"/tests/fuzz/corpus/*/; do
    name=$(basename "$harness")
    check "$name: $(ls "$harness" | wc -l) inputs" "$top_builddir/tests/fuzz/fuzz_$name" "$harness"*
done
tap_done
