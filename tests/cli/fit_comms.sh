#!/usr/bin/env bash
# timeless fit: communicators made by split and dup, counts for each rank, MPI_IN_PLACE, levels, neighbours in a list: the
# skeleton of captures has all calls and members of another size; what depends on data is refused by call site.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99

calls() { "$timeless" dump "$1" | sed -n 's/ site=[0-9]*$//; s/ volume=[0-9]*//; /^[0-9]/p; /^comm/p'; }
same_calls() { calls "$1" >fitted && calls "$2" >expected && [ -s expected ] && diff fitted expected >difference ||
    { head -5 difference; return 1; }; }
# program HEAD CALL...: program.skel, with these statements behind the head
program() {
    printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' 'param steps = 2' 'grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)' \
        'grid h = dims(ranks, 3, 0), dims(ranks, 3, 1), dims(ranks, 3, 2)' "$@" >program.skel
}
sizes='4:8:2 6:16:3 12:32:5 16:8:4 18:16:2 9:64:3'
captures() {
    local i=0 one
    rm -f ?.tl
    for one in $sizes; do
        i=$((i + 1))
        IFS=: read -r ranks n steps <<<"$one"
        "$timeless" make program.skel ranks="$ranks" N="$n" steps="$steps" -o $i.tl || return
    done
}
fit() { "$timeless" fit [1-6].tl --parameter N=8,16,32,8,16,64 --parameter steps=2,3,5,4,2,3 -q -o "$1"; }
# fits NAME RANKS N STEPS
fits() {
    check "$1: captures" captures
    check "$1: has a skeleton" fit fitted.skel
    "$timeless" make program.skel ranks="$2" N="$3" steps="$4" -o other.tl
    check "$1: it has the calls and members of $2 ranks" same_calls "fitted.skel,ranks=$2,N=$3,steps=$4" other.tl
}
program 'comm row = coord(g, 0), coord(g, 1)' 'comm column = coord(g, 1)' 'comm back = 0, -rank' 'comm copy = coord(g, 0)' \
    'comm even = rank % 2 == 0 ? 0 : null' \
    'MPI_Comm_split new_comm=row' 'MPI_Comm_split new_comm=column' 'MPI_Comm_split new_comm=back' 'MPI_Comm_dup comm=row new_comm=copy' \
    'MPI_Comm_split new_comm=even' \
    'repeat steps {' '    MPI_Allreduce comm=row count=N type_bytes=8 in_place=1' \
    '    MPI_Sendrecv comm=column peer=(rank_in(column) + 1) % ranks_in(column) \' \
    '        recv_peer=(rank_in(column) - 1) % ranks_in(column) count=local(N, 1, coord(g, 1), dims(ranks, 2, 1))' \
    '    MPI_Send comm=row peer=rank_in(row) + 1 < ranks_in(row) ? rank_in(row) + 1 : null count=N' \
    '    MPI_Bcast comm=back peer=0 count=N' \
    '    if rank_in(even) != null {' '        MPI_Allgather comm=even count=3' '    }' '}' \
    'MPI_Reduce comm=copy peer=0 count=2 in_place=rank_in(row) == 0' 'MPI_Comm_free comm=row' 'MPI_Comm_free comm=copy'
fits 'split, dup and free' 20 24 7

program 'comm row = coord(g, 0)' 'MPI_Comm_split new_comm=row' 'repeat steps {' \
    '    MPI_Alltoallv counts=local(local(N, 1, rank, ranks), 1, each, ranks) recv_counts=local(local(N, 1, each, ranks), 1, rank, ranks) type_bytes=4' '}' \
    'MPI_Gatherv peer=0 count=local(N, 1, rank, ranks) recv_counts=local(N, 1, each, ranks) in_place=rank == 0' \
    'MPI_Scatterv peer=0 counts=2 * each + 1 recv_count=2 * rank + 1' \
    'MPI_Allgatherv comm=row count=local(N, 1, rank_in(row), ranks_in(row)) recv_counts=local(N, 1, each, ranks_in(row)) type_bytes=8'
fits 'counts for each rank' 25 1000 2

# The largest square of ranks by rows and columns, as for a solver that needs one; the other ranks have a communicator, too.
square='rank < root(ranks, 2) * root(ranks, 2)'
program "comm part = $square ? 0 : 1" "comm row = $square ? rank / root(ranks, 2) : null" \
    "comm column = $square ? rank % root(ranks, 2) : null" 'MPI_Comm_split new_comm=part' \
    'MPI_Comm_split comm=part new_comm=row' 'MPI_Comm_split comm=part new_comm=column' 'repeat steps {' \
    '    MPI_Allreduce comm=part count=N' '    if rank_in(row) != null {' '        MPI_Bcast comm=row peer=0 count=N' \
    '        MPI_Allreduce comm=column count=2' '    }' '}'
fits 'the largest square of ranks' 32 10 2

program 'repeat steps {' '    for l = 0 to bits(N) - 3 {' '        MPI_Bcast peer=0 count=(N >> l) * (N >> l)' '    }' '    MPI_Barrier' \
    '    for l = 0 to bits(N) - 3 {' '        MPI_Bcast peer=0 count=4 << 2 * l' '    }' '}'
fits 'levels' 7 256 3

program 'repeat steps {' '    for k = 0 to 26 {' '        if k != 13 && around(h, k) != null {' \
    '            MPI_Isend peer=around(h, k) count=(k / 9 == 1 ? N : 1) * (k / 3 % 3 == 1 ? N : 1) * (k % 3 == 1 ? N : 1) tag=3 request=a' '        }' '    }' \
    '    for k = 0 to 26 {' '        if k != 13 && around(h, k) != null {' \
    '            MPI_Recv peer=around(h, k) count=(k / 9 == 1 ? N : 1) * (k / 3 % 3 == 1 ? N : 1) * (k % 3 == 1 ? N : 1) tag=3' \
    '        }' '    }' \
    '    MPI_Waitall request=a' '}'
fits 'all neighbours of a cube in a loop' 27 20 2

# Neighbours in a list, in the order of their ranks, as libraries have them.
program 'repeat steps {' '    for k = 0 to 8 {' '        if k % 2 == 1 && around(g, k) != null {' \
    '            MPI_Irecv peer=around(g, k) count=N request=a' '        }' '    }' \
    '    for k = 0 to 8 {' '        if k % 2 == 1 && around(g, k) != null {' '            MPI_Send peer=around(g, k) count=N' \
    '        }' '    }' '    MPI_Waitall request=a' \
    '    for k = rank - 1 to rank + 1 {' '        if k >= 0 && k < ranks && k != rank {' \
    '            MPI_Isend peer=k count=N request=a' '        }' '    }' \
    '    for k = rank - 1 to rank + 1 {' '        if k >= 0 && k < ranks && k != rank {' '            MPI_Recv peer=k count=N' \
    '        }' '    }' '    MPI_Waitall request=a' '}'
fits 'the neighbours along the dimensions, in a loop' 20 24 3

# One call site for several dimensions, and no call between the steps.
program 'repeat steps {' '    for d = 0 to 2 {' \
    '        MPI_Sendrecv peer=neighbour(h, d, 1) recv_peer=neighbour(h, d, -1) count=N tag=d' '    }' '}'
fits 'a loop in a loop without a call between them' 30 20 5

# made_again WHOLE: captures in which one call site makes two communicators, of all ranks; or the second one of each rank alone
made_again() {
    local n r all
    for n in 2 3 4; do
        all=[0-$((n - 1))]
        {
            printf '%s\n' 'timeless-text 1' "ranks $n"
            for ((r = 0; r < n; r++)); do
                printf '%s\n' "rank $r host=\"h\"" "comm 3 parent=1 call=MPI_Comm_split members=$all" \
                    "comm 4 parent=1 call=MPI_Comm_split members=$([ "$1" = whole ] && echo $all || echo "[$r]")" \
                    'site 1 object="app" offset=7' 'site 2 object="app" offset=8' 'site 3 object="app" offset=9' \
                    "$r 0 MPI_Init clock_ns=0" "$r 1 MPI_Comm_split comm=1 new_comm=3 site=1" \
                    "$r 2 MPI_Allreduce count=8 type_bytes=8 comm=3 site=2" \
                    "$r 3 MPI_Comm_split comm=1 new_comm=4 site=1" "$r 4 MPI_Allreduce count=8 type_bytes=8 comm=4 site=2" \
                    "$r 5 MPI_Comm_free comm=3 site=3" "$r 6 MPI_Comm_free comm=4 site=3" "$r 7 MPI_Finalize clock_ns=0" \
                    'end finalized clock_ns=0'
            done
        } | "$timeless" undump - -o $n.again.tl || return
    done
}
fit_again() { made_again "$1" && "$timeless" fit [2-4].again.tl -q -o again.skel; }
makespan() { "$timeless" replay "$1" --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --no-compute -q; }
check 'a call site that makes a communicator again has a skeleton' fit_again whole
check 'which takes as long as the capture' equal "$(makespan 4.again.tl)" "$(makespan again.skel,ranks=4)"
check 'one that makes a communicator with other members has a skeleton' fit_again alone
check 'which has both communicators, and takes as long as the capture' bash -c \
    'grep -q "^MPI_Allreduce .*comm=comm0$" again.skel && grep -q "^MPI_Allreduce .*comm=comm1$" again.skel && [ "$1" = "$2" ]' - \
    "$(makespan 4.again.tl)" "$(makespan again.skel,ranks=4)"
tap_done
