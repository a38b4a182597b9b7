#!/usr/bin/env bash
# Three pages of doc/studies: each command prints what its page shows. Lines that are left out in a page stand as "...".
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
mkdir bin && ln -s "$timeless" bin/timeless && ln -s "$top_srcdir/doc" doc || exit 99
PATH=$scratch/bin:$PATH

# The pages have the figures of SimGrid 3.32; those of other versions differ by up to 0.7 %.
slack=1e-9
[ "$(simgrid_version)" = 332 ] || slack=0.01

# page_commands PAGE: its commands, a line each
page_commands() { awk '/^```console$/ {on = 1; next} /^```$/ {on = 0} on && /^\$ / {print substr($0, 3)}' "$1"; }
# page_output PAGE COMMAND: what the page shows of its output
page_output() {
    COMMAND=$2 awk '/^```console$/ {on = 1; next} /^```$/ {on = mine = 0}
        on && /^\$ / {mine = substr($0, 3) == ENVIRON["COMMAND"]; next} on && mine' "$1"
}
# agrees SHOWN PRINTED: the printed lines are those that are shown, numbers to the slack; "..." is any number of lines
agrees() {
    awk -v slack=$slack '
        function same(a, b, n, i, x, y) {
            n = split(a, x, /[ ,;]+/)
            if (split(b, y, /[ ,;]+/) != n) return 0
            for (i = 1; i <= n; i++)
                if (x[i] != y[i] && (x[i] !~ /^[0-9.e+-]+$/ || y[i] !~ /^[0-9.e+-]+$/ || x[i] - y[i] > slack * x[i] ||
                    y[i] - x[i] > slack * x[i])) return 0
            return 1
        }
        NR == FNR {shown[++n] = $0; next}
        {if (shown[at + 1] == "...") {may_skip = 1; at++}
         if (at < n && same(shown[at + 1], $0)) {at++; may_skip = 0; next}
         if (!may_skip) {print "printed: " $0; print "shown:   " shown[at + 1]; wrong = 1; exit}}
        END {if (shown[at + 1] == "...") at++
             if (!wrong && at < n) {print "not printed: " shown[at + 1]; wrong = 1}
             exit wrong || !n}' "$1" "$2"
}
shows() { # PAGE COMMAND
    bash -o pipefail -c "$2" >printed && page_output "$1" "$2" >shown && agrees shown printed
}
for page in "$top_srcdir"/doc/studies/{incast,loops-of-collectives,order-of-measurements}.md; do
    name=${page##*/}
    check "$name: at most 66 lines" test "$(wc -l <"$page")" -le 66
    while IFS= read -r command; do
        if [ "$name" = loops-of-collectives.md ] && [ "$(simgrid_version)" -ge 400 ]; then
            skip "$name: $command" "barriers take 10 % less time with SimGrid 4"
        else check "$name: $command" shows "$page" "$command"; fi
    done < <(page_commands "$page")
done

# What the texts say about the figures.
page=$top_srcdir/doc/studies/loops-of-collectives.md
figure() { awk -v e="$1" -v c="$2" -v r="$3" -v f="$4" '$1 == e && $2 == c && $3 == r {print $f}' "$page"; }
share() { awk -v a="$(figure "$1" "$2" "$3" "$4")" -v b="$(figure "$1" "$2" "$3" 4)" 'BEGIN {print a / b}'; } # ENGINE CALL RANKS COLUMN
check 'a loop of 16 broadcasts reports 57 %' between "$(share smpi bcast 16 5)" 0.565 0.575
check 'a loop of reductions 40 %' between "$(share smpi reduce 16 5)" 0.395 0.405
check 'with another root each time, 63 %' between "$(share smpi bcast 16 6)" 0.625 0.635
check 'and 112 %' between "$(share smpi reduce 16 6)" 1.115 1.125
for engine in smpi loggops; do
    for call in allreduce alltoall; do
        check "$engine: a loop of $call does not pipeline" between "$(share $engine $call 16 5)" 0.999 1.001
    done
done
page=$top_srcdir/doc/studies/incast.md
check 'a stall of CG costs 200 ms' awk -F, '$1 == "0" {a = $3} $1 == "1e-6" && $2 == 1 {d = ($3 - a) / 2}
    END {print d; exit !(d > 0.198 && d < 0.201)}' "$page"
tap_done
