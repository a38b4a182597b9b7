#!/usr/bin/env bash
# Every command of the README and of the tour (doc/TOUR.md) works when pasted, one page after the other. Commands that name
# hosts run on emulated hosts.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
if is_of_other_mpi "$HPCC"; then skip "the tour of the README" "Debian's hpcc is linked with Open MPI"; tap_done; exit; fi
. "$top_srcdir/tests/cluster.sh"
trap 'cluster_down; rm -rf "$scratch"' EXIT
PATH=$(dirname "$timeless"):$PATH
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
"$top_srcdir/tests/hpcc_input.sh" 200 2 2 >hpccinf.txt
ln -s "$top_srcdir/traces" traces && ln -s "$top_srcdir/doc" doc

mkdir "$scratch/emulated"
hosts=
! cluster_up "$scratch/emulated" 2 1gbit >"$scratch/log" 2>&1 || hosts=emulated
[ "$hosts" ] || mkdir cluster # which the calibration between them makes
tour() { # COMMAND: here, or on the first host where it names some; where other programs left it too few measurements, for longer
    local command=$1 seconds
    case $command in
    *--hosts*) ;;
    *'calibrate kernels'*) bash -o pipefail -c "$command --max-seconds 0 --nb 32"; return ;; # each call once, of small products
    *) bash -o pipefail -c "$command"; return ;;
    esac
    for seconds in 5 20 60 120; do
        command=${1/--max-seconds 10/--max-seconds $seconds}
        PATH=$PATH cluster_run bash -o pipefail -c "$command" 2>said && return
        cat said >&2
        grep -q 'too few for a fit' said || return
    done
    return 1
}
n=0
while IFS= read -r command <&3; do
    n=$((n + 1))
    case "$hosts,$command" in
    ,*--hosts*|,*./cluster*) skip "README: $command" "no emulated hosts here: $(cluster_reason "$scratch/log")" ;;
    *) check "README: $command" tour "$command" ;;
    esac
done 3< <(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on {sub(/  +# .*/, ""); print}' "$top_srcdir"/{README,doc/TOUR}.md)
check "the tour has commands" test "$n" -ge 8
states_makespan() { # to 2 %: versions of SimGrid differ a little
    local stated
    stated=$(sed -n 's/.*`makespan \([0-9.]*\) s`.*/\1/p' "$top_srcdir/doc/TOUR.md")
    timeless replay traces/hpl-4.tl --platform star-1g --ranks-per-host 1 -q |
        awk -v stated="$stated" '{print stated, $1; exit !(stated > 0.98 * $1 && stated < 1.02 * $1)}'
}
check "the makespan that the tour states is that of its first command" states_makespan
# The README's table names commands, some with options; "timeless COMMAND [WHAT] OPTION..." a line.
takes() {
    local word help what=()
    case "$1 ${2:--}" in study\ [!-]* | calibrate\ [!-]*) what=("$2") ;; esac # each WHAT has options of its own
    help=$(timeless "$1" "${what[@]}" --help) || return
    for word in "${@:2}"; do
        [ "${word#-}" = "$word" ] || grep -qE -- "(^| )$word([=,[ ]|$)" <<<"$help" || { echo "no $word"; return 1; }
    done
}
n=0
while read -r _ words <&3; do
    n=$((n + 1))
    check "README: there is timeless $words" takes $words
done 3< <(sed -n '/^## What do you want/,/^## Install/p' "$top_srcdir/README.md" | grep -oE '`timeless [^`]*`' | tr -d '`')
check "the table has commands" test "$n" -ge 8
for file in doc/first-light.sh tests/run.sh tests/hpcc_input.sh; do
    check "README names $file, which exists" grep -q "bash $file" "$top_srcdir/README.md"
    check "$file is there" test -f "$top_srcdir/$file"
done
links_lead() { # PAGE: each of its links leads to a file
    ! grep -o ']([^)]*)' "$top_srcdir/$1" | tr -d '()]' | while read -r to; do
        test -e "$(dirname "$top_srcdir/$1")/$to" || echo "$to"
    done | grep .
}
for page in README.md CONTRIBUTING.md doc/{ARCHITECTURE,TOUR,LIMITS}.md; do
    check "$page: each link leads to a file" links_lead "$page"; done
tap_done
