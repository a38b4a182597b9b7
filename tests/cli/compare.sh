# timeless compare --against: two versions of a program, by kind, call and call site; pictures of many rows.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
keep() { cp "$scratch/$1" "$scratch/kept"; }
kept() { grep -q -e "$1" "$scratch/kept"; }

# Two versions of a program: the second sends twice the bytes, the third calls something else.
"$timeless" make ring -n 4 --bytes 1000000 -o v1.tl; "$timeless" make ring -n 4 --bytes 2000000 -o v2.tl
"$timeless" make alltoall -n 4 --bytes 1000000 -o v3.tl; "$timeless" make ring -n 5 --bytes 1000000 -o v5.tl
for v in 1 2 3 5; do "$timeless" replay v$v.tl -p star-1g --no-compute --details --json=v$v.json -q >/dev/null; done
"$timeless" replay v2.tl -p star-1g --no-compute --json=plain.json -q >/dev/null
check '--against: two versions of a program' "$timeless" compare v1.json --against v2.json --all --json
cp out programs.json
check '--against: the rows are sums of both predictions' python3 -c '
import json
a, b, rows = (json.load(open(f)) for f in ("v1.json", "v2.json", "programs.json"))
rows = {r["name"]: r for r in rows["rows"]}
def near(x, y): assert abs(x / y - 1) < 1e-9, (x, y)
for p, key in (a, "predicted_s"), (b, "versus_s"):
    near(rows["makespan"][key], p["makespan_s"])
    near(rows["by kind: messages"][key], sum(r["p2p_s"] for r in p["ranks"]) / 4)
    for s in p["details"]["sites"]:
        if s["time_s"]:
            near(rows["site " + s["name"]][key], s["time_s"] / 4)
near(rows["makespan"]["change"], b["makespan_s"] / a["makespan_s"] - 1)
assert any(n.startswith("site ") for n in rows), rows'
check 'a site whose line has moved is the same, with the line of B' bash -c '
    sed "s/ring:8/main (app.c:12)/" v1.json >m1.json && sed "s/ring:8/main (app.c:14)/" v2.json >m2.json &&
    "$1" compare m1.json --against m2.json | grep -q "  site MPI_Sendrecv main (app.c:14)$"' - "$timeless"
# version NAME SHIFT BYTES [AGAIN]: step calls exchange in two lines, with 1000 and BYTES, and with AGAIN in a third one between them
version() {
    local r n line
    {
        printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "none"'
        for r in 0 1; do
            printf '%s\n' "rank $r host=\"h\"" "site 1 object=\"app\" offset=1 function=\"main\" file=\"app.c\" line=$((30 + $2))"
            n=0
            for line in 9 10 11; do
                printf '%s\n' "site $line object=\"app\" offset=$line caller=1 function=\"step\" file=\"app.c\" line=$((line + $2))" \
                    "site $((line + 10)) object=\"app\" offset=2 caller=$line function=\"exchange\" file=\"app.c\" line=$((4 + $2))"
                [ $line != 10 ] || [ "${4:-}" ] || continue
                [ $line != 11 ] && bytes=1000 || bytes=$3
                printf '%s\n' "$r $n MPI_Sendrecv_replace count=$bytes type_bytes=1 peer=$((1 - r)) tag=0 recv_peer=$((1 - r)) recv_tag=0 comm=1 site=$((line + 10))"
                n=$((n + 1))
            done
            echo 'end cut clock_ns=0'
        done
    } | "$timeless" undump - -o "$1.tl" && "$timeless" replay "$1.tl" -p star-1g --ranks-per-host 1 --details --json="$1.json" -q >/dev/null
}
version w1 0 20000 && version w2 1 40000 && version w3 1 40000 again
"$timeless" compare w1.json --against w2.json --all >moved
check 'call paths of which all lines have moved are the same' sh -c '! grep "^only" moved &&
    grep -c "  site MPI_Sendrecv_replace exchange (app.c:5) < step:1[02] < main:31$" moved | grep -qx 2'
check 'by their order in the program' sh -c 'grep -q "^ .* [+-]0.0%  site .* < step:10 <" moved &&
    grep -q "^ .* +[1-9][0-9.]*%  site .* < step:12 <" moved'
check 'if one is new, they are compared by function' prints '~  site MPI_Sendrecv_replace exchange \(app.c\) < step < main$' \
    "$timeless" compare w1.json --against w3.json --all
"$timeless" report w1.json w2.json -o page.html >w12 && "$timeless" report w1.json w2.json w3.json -o page.html >w123
check 'a report matches them in the same way: none has seconds in one version only' sh -c '
    [ "$(grep -c " step:1[02] <" w12)" = 4 ] && ! grep " step:[0-9]* <.* 0[.]0 " w12'
check '... by function if one of three versions has more' sh -c '
    [ "$(grep -c "exchange (app.c) < step < main  .* [1-9][0-9.]* .* [1-9][0-9.]* .* [1-9]" w123)" = 2 ] && ! grep "step:" w123'
# computing NAME SHIFT NS: 1 ms of computation between two lines of main, then NS between the second one and itself
computing() {
    local line=$((4 + $2))
    "$timeless" undump - -o "$1.tl" <<END && "$timeless" replay "$1.tl" -p star-1g --host-speed 1Gf --details --json="$1.json" -q >/dev/null
timeless-text 1
ranks 2
volume_unit "cpu-ns"
$(for r in 0 1; do printf '%s\n' "rank $r host=\"h\"" "site 1 object=\"app\" offset=1 function=\"main\" file=\"app.c\" line=$line" \
    "site 2 object=\"app\" offset=2 function=\"main\" file=\"app.c\" line=$((line + 2))" \
    \
    "$r 0 MPI_Barrier comm=1 clock_ns=0 site=1 volume=0" "$r 1 MPI_Barrier comm=1 clock_ns=0 site=2 volume=1000000" "$r 2 MPI_Barrier comm=1 clock_ns=0 site=2 volume=$3" 'end cut clock_ns=0'; done)
END
}
computing c1 0 1000000 && computing c2 5 3000000
check 'two versions, of which the second computes more: the rows of the critical path name the place' prints \
    '~ 0.001 +0.003 +[+]200.0%  critical path, compute main \(app.c:11\) .. main \(app.c:11\)$' "$timeless" compare c1.json --against c2.json
check '... and the other place, which takes as long as before' prints \
    '~ 0.001 +0.001 +[+]0.0%  critical path, compute main \(app.c:9\) .. main \(app.c:11\)$' "$timeless" compare c1.json --against c2.json
check_exit 0 '... which no tolerance judges, because a small change may move the path' sh -c '
    "$0" compare c1.json --against c2.json --tolerance 210% >judged && ! grep "critical path.*!" judged' "$timeless"
check 'JUnit calls the sides A and B, and the platform by its name' bash -c '
    ! "$1" compare v1.json --against v2.json --tolerance 1% --junit v.xml >table.txt &&
    grep -q "<testcase classname=\"star-1g\" name=\"makespan\".*message=\"B [0-9.e-]*, A " v.xml &&
    ! grep -q "name=\"call compute\"\|computation, and" v.xml' - "$timeless"
check_exit 1 '--against: a slower version fails' "$timeless" compare v1.json --against v2.json --tolerance 10% --slower-only
check_exit 0 '--against: a faster version passes' "$timeless" compare v2.json --against v1.json --tolerance 10% --slower-only
check '--against lists what one version has alone' "$timeless" compare v1.json --against v3.json
keep out
check '... of the first' kept '^only in A: call MPI_Sendrecv$'
check '... of the second' kept '^only in B: site MPI_Waitall alltoall'
check '--against: without details, it names the option' "$timeless" compare v1.json --against plain.json
keep out
check '... for rows by call site' kept 'need predictions of .timeless replay --details'
check_exit 3 '--against: other numbers of ranks are refused' "$timeless" compare v1.json --against v5.json
tap_done
