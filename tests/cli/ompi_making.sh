#!/usr/bin/env bash
# With the selectors ompi-4.1 and ompi-5.0, both engines make communicators by the messages of Open MPI: the oracle is
# tests/ompi_making.py, whose messages are those that Open MPI counts (tests/mpi/ompi_making.sh).
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
cd "$scratch" || exit 99
platform_of 400000 0

# constructor NAME RANKS: its trace, by the text format
constructor() {
    local mpi members
    case $1 in
    dup) mpi=MPI_Comm_dup ;; create) mpi=MPI_Comm_create ;; split) mpi=MPI_Comm_split ;; split_type) mpi=MPI_Comm_split_type ;;
    cart) mpi=MPI_Cart_create ;; graph) mpi=MPI_Graph_create ;;
    esac
    members="0-$(($2 - 1))"
    awk -v mpi=$mpi -v n="$2" -v members="$members" 'BEGIN {
        print "timeless-text 1\nranks " n
        for (r = 0; r < n; r++) {
            printf "rank %d host=\"h%d\"\ncomm 3 parent=1 call=%s members=[%s]\n", r, r, mpi, members
            printf "%d 0 %s comm=1 new_comm=3\nend cut clock_ns=0\n", r, mpi } }' | "$timeless" undump - -o "$1-$2.tl"
}
# takes ENGINE CALL RANKS OPTION...: 20 us for each message on the longest way
takes() {
    local seconds hops
    hops=$(python3 "$top_srcdir/tests/ompi_making.py" hops "$2" "$3")
    seconds=$("$timeless" replay "$2-$3.tl" -p wide --ranks-per-host 1 --engine "$1" -q "${@:4}") || return 1
    near "$seconds" "$hops * 20e-6" 1e-3
}
sed 's/nodes = 4/nodes = 8/; s/125.0e6/125.0e9/' description >wide.conf
check 'a platform of eight hosts' "$timeless" platform wide.conf -o wide
for call in dup create split split_type cart graph; do
    for n in 2 3 6 8; do
        check "$call of $n ranks" constructor "$call" "$n"
        for engine in smpi loggops; do
            check "$engine: the time of its messages" takes "$engine" "$call" "$n" --coll-selector ompi-4.1
        done
    done
done
check 'ompi-5.0 makes them in the same way' takes smpi split 6 --coll-selector ompi-5.0
shorter() {
    local ompi simgrid
    ompi=$("$timeless" replay split-6.tl -p wide --ranks-per-host 1 -q --coll-selector ompi-4.1) &&
        simgrid=$("$timeless" replay split-6.tl -p wide --ranks-per-host 1 -q --coll-selector ompi) &&
        awk -v a="$ompi" -v b="$simgrid" 'BEGIN { exit !(b < a / 2) }'
}
check "the selector ompi is SimGrid's, and so are its constructors" shorter

# A receive that accepts any tag is open while all broadcast: it must not take the messages of the broadcast.
open_receive() {
    awk 'BEGIN {
        print "timeless-text 1\nranks 4\nrank 0 host=\"h0\"\n0 0 MPI_Bcast count=3 type_bytes=1 peer=0 comm=1\n0 1 Sleep count=1000000000"
        for (r = 1; r < 4; r++) printf "0 %d MPI_Send count=4 type_bytes=1 peer=%d tag=5 comm=1\n", r + 1, r
        print "end cut clock_ns=0"
        for (r = 1; r < 4; r++) {
            printf "rank %d host=\"h%d\"\n%d 0 MPI_Irecv count=4 type_bytes=1 peer=0 tag=any comm=1 request=1\n", r, r, r
            printf "%d 1 MPI_Bcast count=3 type_bytes=1 peer=0 comm=1\n", r
            printf "%d 2 Match peer=0 tag=5 request=1\n%d 3 MPI_Wait request=1\nend cut clock_ns=0\n", r, r } }' |
        "$timeless" undump - -o open.tl
}
check 'a trace of open receives' open_receive
one_second() { awk -v t="$("$timeless" replay open.tl -p wide --ranks-per-host 1 -q --wildcards first --coll-selector "$1")" \
    'BEGIN { print t; exit !(t > 1 && t < 1.001) }'; }
for selector in default ompi ompi-4.1; do
    check "$selector: a broadcast is not taken by an open receive" one_second $selector
done

# MPI_Comm_create_group is called by the members of the new communicator only.
group() {
    awk 'BEGIN {
        print "timeless-text 1\nranks 3"
        for (r = 0; r < 2; r++) {
            printf "rank %d host=\"h%d\"\ncomm 3 parent=1 call=MPI_Comm_create_group members=[0-1]\n", r, r
            printf "%d 0 MPI_Comm_create_group comm=1 new_comm=3\nend cut clock_ns=0\n", r }
        print "rank 2 host=\"h2\"\nend cut clock_ns=0" }' | "$timeless" undump - -o group.tl
}
check 'a group of two of three ranks' group
for engine in smpi loggops; do
    check "$engine: the third rank takes no part" "$timeless" replay group.tl -p wide --ranks-per-host 1 -q --engine $engine
done
tap_done
