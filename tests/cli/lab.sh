#!/usr/bin/env bash
# doc/lab: each command of the exercise sheet works when pasted, in a copy of the folder, and the commands of the
# teacher's answers print what the answers say. So do those of the tutorials.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
sheet=$top_srcdir/doc/lab/SHEET.md answers=$top_srcdir/doc/LAB-ANSWERS.md
export TIMELESS_PLATFORMS=$top_srcdir/platforms
mkdir "$scratch/bin" && cp -r "$top_srcdir/doc/lab" "$scratch/lab" && chmod -R u+w "$scratch/lab" && cd "$scratch/lab" || exit 99
ln -s "$timeless" ../bin/timeless
for tool in mpicc:$MPICC mpirun:$MPIRUN; do
    printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "${tool#*:}")" >"../bin/${tool%%:*}" && chmod +x "../bin/${tool%%:*}"
done
PATH=$scratch/bin:$PATH

only_open_mpi= # an option in the pages that MPICH's mpirun does not know
! uses_mpich || only_open_mpi='s/ --oversubscribe//'
# blocks PAGE: its commands in order, a line each: "run" or "prints", the command, and what it prints (newlines as \n),
# with tabs between them
blocks() {
    awk 'function flush() {if (command != "") print "prints\t" command "\t" output; command = output = ""}
         /^```sh$/ {kind = "run"; next}
         /^```console$/ {kind = "prints"; next}
         /^```$/ {flush(); kind = ""; next}
         kind == "run" {print "run\t" $0}
         kind == "prints" && /^\$ / {flush(); command = substr($0, 3); next}
         kind == "prints" {output = output (output == "" ? "" : "\\n") $0}' "$1" | sed "$only_open_mpi"
}
# The pages have the figures of SimGrid 3.32. Those of other versions differ by up to 0.7 % (4.0: 0.02 to 0.7 %).
slack=0
[ "$(simgrid_version)" = 332 ] || slack=0.01
# agrees EXPECTED PRINTED: the same text, the same number to the digits that are shown, or a number from LEAST to MOST
agrees() {
    printf '%s\n' "expected: $1" "printed:  $2"
    awk -v want="$1" -v got="$2" -v slack=$slack 'BEGIN {
        if (want == got) exit got == ""
        if (got !~ /^[0-9.]+(e-[0-9]+)?$/) exit 1
        if (split(want, range, " to ") == 2) exit !(got >= range[1] * (1 - slack) && got <= range[2] * (1 + slack))
        if (split(want, parts, ".") != 2) exit 1
        if (sprintf("%." length(parts[2]) "f", got) == want) exit 0
        exit !(slack && got >= want * (1 - slack) && got <= want * (1 + slack))
    }'
}
prints() { local printed; printed=$(bash -o pipefail -c "$1") && agrees "$2" "$printed"; } # COMMAND EXPECTED
declare -A printed_before # what the predictions of the sheet printed: the answers need not compute them again
# steady COMMAND: no rank of the recording took 3.5 ms more CPU time than stencil.c asks for. On a virtual machine, the time
# in which the hypervisor runs something else counts as CPU time of a rank: 40 ms at once were seen.
steady() {
    local file=${1#* -o } balanced=0
    case $1 in *./balanced*) balanced=1 ;; esac
    timeless info "${file%% *}" | awk -v balanced=$balanced '
        $5 == "finalized" {n++; if ($3 > 3.5e6 + 1e6 * (balanced ? 45 : $1 == 5 ? 120 : 40)) late = 1}
        END {exit late || n != 16}'
}
# recorded COMMAND: a recording that is steady; up to five are made
recorded() {
    local try
    for try in 1 2 3 4 5; do
        bash -o pipefail -c "$1" || return
        ! steady "$1" || return 0
    done
    echo "CPU time of a rank was disturbed in all $try recordings"
    return 1
}
# page FILE LEAST: runs all of its commands; they are LEAST or more
page() {
    local n=0 kind command expected name
    name=$(basename "$1" .md)
    while IFS=$'\t' read -r kind command expected <&3; do
        n=$((n + 1))
        if [ "$kind" = run ]; then
            case $command in
            'timeless record '*cputime*) check "$name: $command" recorded "$command" ;;
            *) check "$name: $command" bash -o pipefail -c "$command" ;;
            esac
            case $command in 'timeless replay -q '*) printed_before[$command]=$(cat "$scratch/out") ;; esac
        elif [ "${printed_before[$command]+set}" ]; then
            check "$name: $command" agrees "$expected" "${printed_before[$command]}"
        elif [ $slack != 0 ] && [[ $command = *bcast.txt || $command = *'-selector mpich' ]]; then
            skip 'algorithms that know the hosts' 'only with SimGrid 3.32 do they know them from the start'
        else check "$name: $command" prints "$command" "$(printf '%b' "$expected")"; fi
    done 3< <(blocks "$1")
    check "$name has commands" test "$n" -ge "$2"
}
check 'a number in its range agrees' agrees '0.1 to 0.2' 0.15
check_exit 1 'a number outside of its range is wrong' agrees '0.1 to 0.2' 0.21
check 'a number agrees to the digits that are shown' agrees 0.12 0.1249
check_exit 1 'a number with another digit is wrong' agrees 0.12 0.1251
check_exit 1 'another whole number is wrong' agrees 12 13
check_exit 1 'no output is wrong' agrees '0.1 to 0.2' ''

page "$sheet" 25
check 'the pages have a timeline' grep -q '<canvas' stencil.html stall.html
page "$answers" 25
questions() { grep -oE '^- \*\*[0-9][a-z]\*\*' "$sheet" | tr -d -- '-* '; }
for question in $(questions); do check "question $question has an answer" \
    grep -qE "^\*\*([0-9][a-z], )*$question(, [0-9][a-z])*\.\*\*" "$answers"; done

# The table of the teams: by its rule, and team 2 as one that has the rank with too much work.
row() { sed -n "s/^| $1 | \(node-[0-9]\) | \([0-9]*\) |\$/\1 \2/p" "$answers"; }
for team in 1 2 3 4 5 6 7 8; do
    check "team $team: the table follows the rule" equal "$(row $team)" "node-$((5 * team % 8)) $((4 + 7 * team % 12))"
done
found() { blocks "$answers" | grep -F stall.csv | head -n 2 | cut -f 2 | while IFS= read -r command; do bash -c "$command"
        done | paste -sd ' '; }
check 'team 7: node and step are those of the table' equal "$(found)" "$(row 7)"
for program in record:recorded replay:'bash -c'; do
    command=$(blocks "$sheet" | cut -f 2 | grep "timeless ${program%%:*} .*stall.tl" | sed 's/ 20 7$/ 20 2/')
    check "team 2: $command" ${program#*:} "$command"
done
check 'team 2: node and step are those of the table' equal "$(found)" "$(row 2)"

# The tutorials, in a folder like the top one of a checkout.
mkdir "$scratch/top" && cd "$scratch/top" && ln -s "$top_srcdir"/{doc,platforms,traces} . || exit 99
for tutorial in performance buying collectives simgrid noise ci; do page doc/tutorials/$tutorial.md 12; done
# Ranks that yield to other work of the machine would take 10 ms and more for each repetition.
[ "$(nproc)" = 1 ] || unset OMPI_MCA_mpi_yield_when_idle OMPI_MCA_hwloc_base_binding_policy
page doc/tutorials/measuring.md 11
check 'the list of the tutorials has all of them' equal "$(ls doc/tutorials | grep '.md$' | grep -v README)" \
    "$(sed -n 's/^| \[[a-z]*\.md\](\([a-z]*\.md\)).*/\1/p' doc/tutorials/README.md | sort)"
tap_done
