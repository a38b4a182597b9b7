# guards.sh - every check that a test may skip has a row in tests/guards.txt, and the quick ones of these guards fire.
. "$top_srcdir/tests/tap.sh"

# calls_of TEST: how many places of it skip a check
calls_of() { grep -cE '(^|[^[:alnum:]_])skip(\(\)| ["'\''$])' "$1"; }
rows_of() { grep -c "^$1 |" "$2"; }
# complete ROOT: each test of it with a place that skips has as many rows as it has places, or more
complete() {
    local root=$1 file test missing=0
    while read -r file; do
        test=${file#"$root/"}
        case $test in */tap.sh | */unit/guards.sh) continue ;; esac
        [ "${test%.c}" = "$test" ] || test=${test%.c}
        [ "$(rows_of "$test" "$root/tests/guards.txt")" -ge "$(calls_of "$file")" ] ||
            { echo "$test skips $(calls_of "$file") checks; tests/guards.txt has $(rows_of "$test" \
            "$root/tests/guards.txt") rows of it"; missing=1; }
    done < <(find "$root/tests" \( -name '*.sh' -o -name '*.c' \) -exec grep -lE '(^|[^[:alnum:]_])skip(\(\)| ["'\''$])' {} +)
    return $missing
}
check 'every check that may be skipped has a row in guards.txt' complete "$top_srcdir"

broken=$scratch/broken
mkdir -p "$broken/tests/cli"
printf 'skip "a check" "no reason"\n' >"$broken/tests/cli/a.sh"
touch "$broken/tests/guards.txt"
check_exit 1 'a check without a row is found' complete "$broken"
printf 'tests/cli/a.sh | a check | fails true\n' >"$broken/tests/guards.txt"
check 'with a row it is not' complete "$broken"

guards() { bash "$top_srcdir/tests/guards.sh" "$@" >"$scratch/guards" 2>&1; grep -v '^ok' "$scratch/guards"
    ! grep -q '^not ok' "$scratch/guards" && grep -q '^ok' "$scratch/guards"; }
check 'guards fire: format, lint, events, exact, emulated hosts, sanitizers' guards tests/unit/format.sh tests/unit/version.sh \
    tests/lint.sh tests/mpi/volume_events.sh \
    tests/mpi/exact.sh tests/mpi/hosts.sh tests/accuracy/cluster_short.sh
# What never fires is found: the guard of a builtin of the shell, which no library is loaded into.
mkdir -p "$broken/tests/mpi"
cp "$top_srcdir"/tests/{tap.sh,words.sh,runs_mpi.sh,mpi_env.sh,guards.sh,deny.c} "$broken/tests/"
printf '. "$top_srcdir/tests/tap.sh"\nif LD_PRELOAD=/none true; then check a true; else skip a b; fi\ntap_done\n' >"$broken/tests/mpi/b.sh"
printf 'tests/mpi/b.sh | a | deny perf\n' >"$broken/tests/guards.txt"
dead() { top_srcdir=$broken guards; }
check_exit 1 'a guard that cannot fire is found' dead
tap_done
