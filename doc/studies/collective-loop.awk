# The table of doc/studies/loops-of-collectives.md out of the sweep's: microseconds of a call.
BEGIN {
    FS = ","; split("bcast reduce allreduce alltoall", name, " ")
    print "engine   call       ranks  one call    loop  rotating  barriers  less barriers"
}
NR > 1 {
    row = $1 "," $2 "," $3
    us[row, $4, $5] = 1e6 * $6 / $4
    if (!seen[row]++) rows[++n] = row
}
END {
    for (i = 1; i <= n; i++) {
        split(rows[i], key, ","); r = rows[i]
        printf "%-8s %-10s %5d %9.1f %7.1f %9.1f %9.1f %14.1f\n", key[1], name[key[2] + 1], key[3], us[r, 1, 0], \
            us[r, 100, 0], us[r, 100, 1], us[r, 100, 2], us[r, 100, 2] - us[r, 100, 3]
    }
}
