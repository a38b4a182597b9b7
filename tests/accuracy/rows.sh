# rows.sh - sourced: rows of a program that prints times, and their naive predictions.
#
#   row_names COMPARED.csv N      prints the names of the N rows whose times the program prints: those between the n-th
#                                 calls of two sites of MPI_Wtime; `timeless compare --all --csv` wrote COMPARED.csv
#   naive_rows TRACE ROWS PLATFORM RATE SLOWDOWN [RANKS]
#                                 prints "bytes over bandwidth<TAB>Hockney" for each name in the file ROWS, in seconds
#                                 (naive.py), between hosts of tests/cluster.sh with links of RATE (1gbit or 100mbit),
#                                 SLOWDOWN times as slow.  PLATFORM gives the computation.  Leaves files ROWS.*
#                                 RANKS: on each host, default 1; then messages within a host take no time for Hockney, and
#                                 "bytes over bandwidth" still counts those of the busiest rank
#
# The naive predictions know the data sheet of the wire: the rate, and a latency of 50 us.  The algorithms of collectives
# are those of Open MPI 4.1, as in the predictions that they are compared with.  The parameter or=0s gives a link a
# message at a time in each direction; without it, both directions share the link.

row_names() {
    sed -n 's/^"\(MPI_Wtime \([^#]*\) #\([0-9]*\) \.\. MPI_Wtime \([^#]*\) #\3\)",.*/\2 \4\t\1/p' "$1" |
        awk -F'\t' -v n="$2" '
            !count[$1]++ { sites[++n_sites] = $1 } { rows[$1] = rows[$1] $2 "\n" }
            END { for (i = 1; i <= n_sites; i++) if (count[sites[i]] == n) { printf "%s", rows[sites[i]]; exit } }'
}

naive_replay() { # TRACE PLATFORM PARAMS RANKS OPTION...
    local within=
    [ "$4" = 1 ] || within=';local:L=1ps,G=0s'
    timeless replay "$1" --engine loggops --params "$3,o=0s,or=0s,g=0s,O=0s$within" --platform "$2" --ranks-per-host "$4" \
        --coll-selector ompi-4.1 -q "${@:5}" >/dev/null
}

naive_rows() {
    local bytes_per_s=$((125000000 / $5)) ranks=${6:-1}
    [ "$4" = 1gbit ] || bytes_per_s=$((${4%mbit} * 125000 / $5))
    # The engine refuses a latency of 0.
    naive_replay "$1" "$3" L=1ps,G=0s "$ranks" --json="$2.ideal.json" --timeline="$2.ideal.csv" || return
    naive_replay "$1" "$3" "L=$((50 * $5))us,G=$((1000000000000 / bytes_per_s))ps" "$ranks" --json="$2.hockney.json" || return
    python3 "${BASH_SOURCE[0]%/*}/naive.py" "$2" "$2.ideal.json" "$2.ideal.csv" "$2.hockney.json" $bytes_per_s || return
    rm "$2.ideal.csv"
}
