#!/usr/bin/env bash
# Every command of the README's tour works when pasted, in the order in which it stands there.
. "$top_srcdir/tests/tap.sh"
PATH=$(dirname "$timeless"):$PATH
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
"$top_srcdir/tests/hpcc_input.sh" 200 2 2 >hpccinf.txt

n=0
while IFS= read -r command <&3; do
    n=$((n + 1))
    check "README: $command" bash -o pipefail -c "$command"
done 3< <(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$top_srcdir/README.md")
check "the tour has commands" test "$n" -ge 8
for file in doc/first-light.sh tests/run.sh; do
    check "README names $file, which exists" grep -q "bash $file" "$top_srcdir/README.md"
    check "$file is there" test -f "$top_srcdir/$file"
done
tap_done
