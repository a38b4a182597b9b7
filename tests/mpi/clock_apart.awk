# clock_apart.awk - the file of timeless measure on ranks with clock_apart.c: fails unless the drift is found and the global times of rank 1 are right
# within the uncertainty that the file states. since: CLOCK_APART_SINCE
/^# clock/ {
    for (i = 2; i < NF; i++) if ($i ~ /^(rank|at_s|offset_s|drift|uncertainty_s)$/) v[$i] = $(i + 1)
    if (v["rank"] == 1) { at = v["at_s"]; offset = v["offset_s"]; drift = v["drift"]; uncertainty = v["uncertainty_s"] }
}
/^[0-9]/ { split($0, c, ",")
    if (c[5] != 1) next
    own = (c[11] + offset - drift * at) / (1 - drift)      # the time that rank 1 read
    right = (own - 1 + 50e-6 * since) / (1 + 50e-6)
    error = c[11] - right; if (error < 0) error = -error
    n++; if (error > most) most = error
    if (error > c[13]) wrong++
}
END { printf "%d rows, largest error %.3g us, uncertainty %.3g us, offset %.6f s, drift %.4g ppm\n", n, 1e6 * most, 1e6 * uncertainty, offset, 1e6 * drift; exit !(n && !wrong && offset > 1 && uncertainty < 1e-3 && drift > 20e-6 && drift < 80e-6) }
