#!/usr/bin/env bash
# The tag of a communicator is a part of its identity: ranks that define those of two tags in opposite order mean the same ones.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
[ "${timeless#/}" = "$timeless" ] && timeless=$(cd "$OLDPWD" && cd "$(dirname "$timeless")" && pwd)/timeless
platform=$(cd "$OLDPWD" && cd "$top_srcdir" && pwd)/platforms/star-1g

header() { printf '%s\n' 'timeless-text 1' 'ranks 4' 'volume_unit "none"'; }
# by_group RANK ID TAG, inter RANK ID TAG: the definition of a communicator
by_group() { echo "comm $2 parent=1 call=MPI_Comm_create_group members=[0-3] tag=$3"; }
inter() { case $1 in [01]) echo "comm $2 parent=1 call=MPI_Intercomm_create members=[0,1] remote=[2,3] tag=$3" ;;
    *) echo "comm $2 parent=1 call=MPI_Intercomm_create members=[2,3] remote=[0,1] tag=$3" ;; esac; }
# events RANK CALL FIRST SECOND: makes the communicators FIRST and SECOND, uses each of them in another way.  Rank 1 sends to rank 0, or
# the last rank of one group to the first one of the other.
events() {
    local rank=$1 from=3 i=0 first=$3 second=$4 event id
    [ "$2" != create_group ] || from=1
    { echo MPI_Init clock_ns=0
    for id in $first $second; do case $2 in
        create_group) echo "MPI_Comm_create_group comm=1 new_comm=$id" ;;
        *) echo "MPI_Intercomm_create peer=0 comm=1 tag=$((id == first ? 1 : 2)) new_comm=$id" ;;
    esac; done
    echo MPI_Barrier comm=1 clock_ns=1
    [ "$rank" != 0 ] || printf '%s\n' "MPI_Recv count=1 type_bytes=8 peer=1 tag=5 comm=$first" \
        "MPI_Recv count=9 type_bytes=8 peer=1 tag=6 comm=$second"
    [ "$rank" != $from ] || printf '%s\n' "MPI_Send count=1 type_bytes=8 peer=0 tag=5 comm=$first" \
        "MPI_Send count=9 type_bytes=8 peer=0 tag=6 comm=$second"
    [ "$2" != create_group ] || printf '%s\n' "MPI_Barrier comm=$second clock_ns=5" "MPI_Bcast count=1000 type_bytes=8 peer=0 comm=$first"
    echo MPI_Barrier comm=1 clock_ns=8
    echo MPI_Finalize clock_ns=9; } | while read -r event; do echo "$rank $i $event"; i=$((i + 1)); done
    echo end finalized clock_ns=9
}
# trace NAME CALL ORDERED: odd ranks define the communicators in opposite order, unless they are ORDERED
trace() {
    local rank
    { header
    for rank in 0 1 2 3; do
        echo "rank $rank host=\"h\""
        local make=inter one=1 two=2
        [ "$2" != create_group ] || make=by_group
        if [ -z "$3" ] && [ $((rank % 2)) = 1 ]; then
            $make $rank 3 2; $make $rank 4 1; events $rank "$2" 4 3
        else
            $make $rank 3 1; $make $rank 4 2; events $rank "$2" 3 4
        fi
    done; } >"$1.txt"
    $timeless undump "$1.txt" -o "$1.tl"
}
seconds() { $timeless replay "$1.tl" --platform "$platform" --engine "$2" --no-compute -q; }
same_text() { [ -s ordered.text/rank-3.txt ] && diff -r -x list.txt ordered.text opposite.text; }
for call in create_group intercomm; do
    rm -rf ordered.text opposite.text
    check "$call: a trace with one order is made" trace ordered $call yes
    check "$call: a trace with two orders is made" trace opposite $call ''
    for engine in smpi loggops; do
        check "$call, $engine: the order of the definitions changes no prediction" equal "$(seconds ordered $engine)" \
            "$(seconds opposite $engine)"
    done
    for name in ordered opposite; do
        check "$call, $name: a part is cut" $timeless cut $name.tl --section 1 -o part.tl
        check "$call, $name: the trace is exported" $timeless export -t simgrid --no-compute $name.tl -o $name.text
    done
    check "$call: nor does it change an export" same_text
    sed 's/ tag=[12]$//' opposite.txt | $timeless undump - -o untagged.tl
    check_exit 3 "$call: without tags, as before format 1.10, the order counts" seconds untagged smpi
done

tap_done
