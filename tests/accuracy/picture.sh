#!/usr/bin/env bash
# picture.sh [FILE.svg] - draws the errors of all predictions between emulated hosts, from the tables in results/, a column for each
# configuration of hosts (default: doc/pictures/errors.svg). Rows of SimGrid's engine; errors beyond +-50 % are at the edge.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
file=${1:-$here/../../doc/pictures/errors.svg}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# CSV | group there | name in the picture
columns='cluster.csv|100mbit:2|2 hosts, 100 Mb/s
cluster_dilated.csv|1gbit:2/3|2 hosts, 1 Gb/s (/3)
cluster_dilated.csv|1gbit:2/10|2 hosts, 1 Gb/s (/10)
cluster_stock.csv|100mbit:2+stock|stock settings, 100 Mb/s
cluster_stock.csv|1gbit:2/10+stock|stock settings, 1 Gb/s
cluster_nodes.csv|100mbit:2x2/5|2 ranks a host, 100 Mb/s
cluster_nodes.csv|1gbit:2x2/10|2 ranks a host, 1 Gb/s
cluster.csv|100mbit:4/5|4 hosts, 100 Mb/s
cluster.csv|1gbit:4/10|4 hosts, 1 Gb/s
cluster_kernel.csv|100mbit:2+kernel|links of the kernel'
n=0 names=
while IFS='|' read -r csv group name; do
    # A point for each row, beside each other in the order of the table: column, error in %, whether it is beyond the edge.
    awk -F, -v column=$n -v group="$group" '{ gsub(/"[^"]*"/, "case") } $1 == group { e[++n] = 100 * ($5 / $4 - 1) }
        END { for (i = 1; i <= n; i++) { far = e[i] > 50 || e[i] < -50
            print column + 0.7 * ((i - 0.5) / n - 0.5), far ? (e[i] > 0 ? 50 : -50) : e[i], far + 0 } }' "$here/results/$csv" >"$work/$n"
    [ -s "$work/$n" ] || { echo "picture.sh: no rows of $group in $csv" >&2; exit 3; }
    cat "$work/$n" >>"$work/all"
    sort -g -k2 "$work/$n" | awk -v column=$n '{ v[NR] = $2 } END {
        m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; print column - 0.4, m; print column + 0.4, m;
        print "" }' >>"$work/medians"
    names="$names${names:+, }'$name' $n"
    n=$((n + 1))
done <<<"$columns"
gnuplot <<PLOT
set terminal svg size 980,520 fixed noenhanced rounded font 'sans,12' background '#ffffff'
set output '$work/errors.svg'
set title 'predicted / measured - 1: collectives, a stencil and HPL, a dot for each row'
set border 3 lc rgb '#404040'
set xrange [-0.6:$n-0.4]
set yrange [-55:55]
set xtics nomirror scale 0 rotate by 35 right ($names)
set ytics nomirror 10
set ylabel 'error [%]'
set grid ytics lc rgb '#dddddd' lt 1
set key outside top center horizontal samplen 2
set object rectangle from graph 0, first -15 to graph 1, first 15 behind fc rgb '#e4f2e4' fs solid noborder
set arrow from graph 0, first 0 to graph 1, first 0 nohead lc rgb '#404040' dt 2
plot keyentry with boxes fc rgb '#e4f2e4' fs solid noborder title 'within 15 %', \
    '$work/all' using 1:(\$3 == 1 ? NaN : \$2) with points pt 7 ps 0.45 lc rgb '#0072b2' title 'a row', \
    '$work/all' using 1:(\$3 == 1 ? \$2 : NaN) with points pt 9 ps 0.9 lc rgb '#d55e00' title 'beyond 50 %', \
    '$work/medians' with lines lw 3 lc rgb '#202020' title 'median'
PLOT
mv "$work/errors.svg" "$file"
