#!/usr/bin/env bash
# measure.sh - timeless measure reads measurements: categories, causes, two campaigns, predictions. The files are made here, so
# that the answers are known; tests/mpi/measure.sh measures.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# made NAME WHY [FACTOR [ALGORITHMS [SEED]]]: 4 ranks on two hosts, 4 launches, 2 sizes, 80 repetitions of 10 us; the times of the
# launches differ by 1 %. 7 repetitions of each launch take 5 times as long: in those, CPU 2 of host b was taken away ("hog"), or
# nothing else happened ("quiet"); "timer": every 4 ms. "warm": the first 20 take 50 % more. "launch": all slow ones are in launch 2, in which rank 3 is
# always the last. "late": every fifth is late, and takes twice as long.
made() {
    awk -v why="$2" -v factor="${3:-1}" -v algorithms="${4:-default}" -v seed="${5:-7}" 'BEGIN {
        srand(seed)
        print "# timeless-measure 1\n# operation allreduce\n# moment 2026-11-30T10:00:00Z\n# seed 1\n# mpi Open MPI v4.1.4\n# ranks 4"
        print "launch,algorithm,bytes,repetition,rank,host,cpu,cpu_end,start,late,begin_s,end_s," \
            "uncertainty_s,switches,faults,without_cpu_s,clock_hz,instructions,cycles"
        n = split(algorithms, name, " ")
        for (l = 0; l < 4; l++) for (a = 1; a <= n; a++) for (bytes = 8; bytes <= 1024; bytes *= 128) for (i = 0; i < 80; i++) {
            t += 1e-3
            s = 1e-5 * factor * a * (bytes == 8 ? 1 : 2) * (1 + 0.01 * (l % 2) + 0.02 * rand())
            slow = why == "launch" ? l == 2 && i % 4 == 3 : i % (why == "timer" ? 4 : 11) == 3
            if (slow) s *= 5
            if (why == "warm" && i < 20) s *= 1.5
            late = why == "late" && i % 5 == 4
            if (late) s *= 2
            for (r = 0; r < 4; r++) {
                hog = slow && why == "hog" && r == 2
                printf "%d,%s,%d,%d,%d,%s,%d,%d,window,%d,%.9f,%.9f,1e-7,%d,%d,%.9f,,,\n", l, name[a], bytes, i, r, r < 2 ? "a" : "b", r,
                    rand() < 0.05 ? 9 : r, late && r == 1, t + r * 1e-7,
                    t + 3e-7 + s * (1 - 0.01 * rand() * !(why == "launch" && l == 2 && r == 3)), hog + (rand() < 0.05), rand() < 0.05, hog ? s : 0
            }
        }
        print "# end"
    }' >"$1"
}
made hog.csv hog
made quiet.csv quiet
made warm.csv warm
made late.csv late
made slower.csv hog 1.2
made ranks.csv quiet 1 "ring recursive_doubling rabenseifner"

value() { python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
categories() { # FILE FIRST WARM OUTLIER GOOD: of the case of 8 bytes
    local file=$1; shift
    $timeless measure "$file" --json=j.json >text &&
        equal "$(value j.json '[j["cases"][0]["categories"][k] for k in ("first", "warm-up", "outlier", "good")]')" "[${1}, $2, $3, $4]"
}
check 'the first repetition of each launch and those of twice the median have their categories' categories hog.csv 4 0 28 288
check 'repetitions before the minimum falls by a tenth are warm-up' categories warm.csv 4 76 20 220
check 'late repetitions have no category, and are counted' categories late.csv 4 0 20 232
check 'they are not in the quantiles' sh -c '"$0" measure late.csv --json >j.json && python3 -c "
import json; c = json.load(open(\"j.json\"))[\"cases\"][0]
assert c[\"late\"] == 64 and c[\"repetitions\"] == 256 and c[\"low_s\"] <= c[\"median_s\"] <= 1.04e-5, c"' $timeless
sed 's/,window,0,/,window,1,/' quiet.csv >all_late.csv
check 'unless all of a size are late' categories all_late.csv 4 0 28 288
check 'a repetition takes from the latest begin to the latest end' sh -c '"$0" measure quiet.csv --json >j.json &&
    python3 -c "
import json; c = json.load(open(\"j.json\"))[\"cases\"][0]
assert 1.0e-5 <= c[\"median_s\"] <= 1.04e-5, c; assert c[\"high_s\"] > 4e-5, c"' $timeless

names_hog() {
    $timeless measure hog.csv --json=j.json >text && cat text && grep -q 'time without the CPU, on CPU 2 of b' text &&
        ! grep -E 'on CPU [013] of|page faults|is on host|launch [0-9]|number of' text
}
check 'a hog on one core is the cause, and nothing else' names_hog
nothing() { # of 8 campaigns
    local seed
    for seed in 1 2 3 4 5 6 7 8; do
        made by_chance.csv quiet 1 default $seed
        $timeless measure by_chance.csv >text && cat text && grep -q '^None of [0-9]* factors differs' text || return
    done
}
check 'outliers without a cause: none is named' nothing
made timer.csv timer
# Older files lack the last two columns: here they are 70 degrees and 5 messages in slow repetitions, and 50 and 1 or 2 otherwise.
awk -F, -v OFS=, '/^launch/ { print $0, "celsius", "counters"; next } /^# ranks/ { print; print "# counters mpit:one,mpit:two"; next }
    /^#/ { print; next } { slow = $4 % 11 == 3; print $0, slow ? 70 : 50, (NR % 2) ";" (slow ? 5 : 1 + NR % 2) }' quiet.csv >counted.csv
names_counters() { $timeless measure counted.csv >text && cat text && grep -q 'temperature of the hottest zone: 70 C, and 50 C' text &&
    grep -q 'mpit:two: 5, and ' text && ! grep mpit:one text; }
check 'temperature and variables of MPI_T are causes' names_counters
names_tick() { sed 's/^# ranks .*/&\n# tick_s 0.004/' timer.csv >tick.csv && $timeless measure tick.csv >text && cat text &&
    grep -q "they come every 4 ms (the kernel's ticks: 4 ms): 100 %" text; }
check "outliers at the rate of the kernel's ticks: the tick is named" names_tick
names_timer() { $timeless measure timer.csv >text && cat text && grep -q 'they come every 4 ms: 100 %' text; }
check 'a timer is named, with its period' names_timer
made launch.csv launch
names_launch() { $timeless measure launch.csv >text && cat text && grep -q 'it is in launch 2' text && ! grep 'the last to end' text; }
check 'a slow launch is named, and not the rank that is the last in it' names_launch

same() { $timeless measure hog.csv quiet.csv >text && grep -q '^No difference was found' text; }
check 'two campaigns with the same times do not differ' same
check_exit 1 'a second campaign that is 20 % slower differs, exit 1' $timeless measure hog.csv slower.csv
check_exit 3 'campaigns without a common case are refused' $timeless measure quiet.csv ranks.csv

alike() { # the library takes ring for 8 B, and something else that takes twice as long for 1,024 B
    made own.csv quiet 1 "ring default" && sed -E '/^[0-9]+,default,8,/d; s/^([0-9]+),ring,8,/\1,default,8,/' own.csv >own2.csv &&
        made own3.csv quiet 1 ring && grep -E '^[0-9]+,ring,8,' own3.csv >>own2.csv && $timeless measure own2.csv >text && cat text &&
        grep -q '^         8  ring$' text && grep -q '^      1024  none of those measured$' text
}
check 'the algorithms that take as long as the own choice of the library are named, size by size' alike
slow_launches() { # three of four launches of the own choice take 25 % longer: the median of all does, too
    awk -F, -v OFS=, '/^[123],default,8,/ { $12 = sprintf("%.9f", $12 + 2.5e-6) } { print }' own2.csv >own4.csv && $timeless measure own4.csv >text &&
        cat text && grep -q '^         8  ring$' text
}
check 'launches in which all repetitions are slower do not hide that' slow_launches

# Half of the rows have a sample: in the slow ones, slow(), but for a tenth; always in MPI_X, and in a library without names.
sampled() { awk -F, '{ print } /^# ranks/ { print "# inside_hz 100" } /^[0-9]/ && ($4 + $5) % 2 {
    print "# inside " 1 + $5 % 3 " MPI_X|[lib.so]|" ($4 % 11 == '"$1"' && n++ % 10 ? "slow" : "fast|") "|" "[lib.so]" }' hog.csv >"$2"; }
sampled 3 inside.csv && sampled 5 other.csv
functions() {
    $timeless measure inside.csv --json=j.json --page j.html >text && cat text && equal "$(sed -n '/^Inside/,$p' text)" \
        "$(printf '%s\n' 'Inside the calls, 100 samples a second: 112 calls of outliers and 1152 good ones have samples' \
            '  outliers      good  function (with those that it calls)' '    91.0 %     0.0 %  slow')" && grep -q '%  slow$' j.html &&
        equal "$(value j.json '[f["name"] for f in j["functions"]]')" "['slow']"
}
check 'the function that is in the samples of outliers is named, and no other' functions
check 'a function that slows down other repetitions is not' sh -c '"$0" measure other.csv >text && grep -q "%  fast$" text && ! grep "slow" text' $timeless
check_exit 2 '--inside goes without --start loop' $timeless measure bcast --start loop --inside -o l.csv -- false
check_exit 2 'a rate of samples is a number' $timeless measure bcast --inside=often -o l.csv -- false

# ---- beside predictions ----

predicts() { # as timeless study collectives does
    local a
    printf '%s\n' 'skeleton 1' 'ranks 4' 'MPI_Allreduce count=1 type_bytes=8' >one8.skel
    for a in lr rdb rab_rdb; do
        echo "$a $($timeless replay -q one8.skel -p star-1g --no-compute --ranks-per-host 2 --coll-selector ompi-4.1 --coll allreduce=$a)"
    done >eight
    $timeless measure ranks.csv --platform star-1g --json=j.json >text && cat text &&
        $timeless study collectives --op allreduce --ranks 4 --bytes 8,1024 --platform star-1g --ranks-per-host 2 --csv s.csv >/dev/null &&
        python3 - <<'END'
import csv, json
j = json.load(open("j.json"))
study = {(r["bytes"], r["algorithm"]): float(r["makespan_s"]) for r in csv.DictReader(open("s.csv")) if r["makespan_s"]}
eight = {line.split()[0]: float(line.split()[1]) for line in open("eight")}
names = {"ring": "lr", "recursive_doubling": "rdb", "rabenseifner": "rab_rdb"}
for c in j["cases"]: # the study has elements of one byte, so few bytes are divided among ranks in another way
    name = names[c["algorithm"]]
    expected = eight[name] if c["bytes"] == 8 else study[str(c["bytes"]), name]
    assert abs(c["predicted_s"] / expected - 1) < 1e-6, (c, expected)
for r in j["rankings"]:
    cases = [c for c in j["cases"] if c["bytes"] == r["bytes"]]
    pairs = [(a, b) for i, a in enumerate(cases) for b in cases[:i]]
    sign = lambda x: (x > 0) - (x < 0)
    tau = sum(sign((a["median_s"] - b["median_s"]) * (a["predicted_s"] - b["predicted_s"])) for a, b in pairs) / len(pairs)
    assert abs(tau - r["tau"]) < 1e-9, (tau, r)
    chosen = min(cases, key=lambda c: c["predicted_s"])
    best = min(cases, key=lambda c: c["median_s"])
    assert r["predicted"] == chosen["algorithm"] and r["measured"] == best["algorithm"] == "ring", r
    assert abs(r["cost"] - (chosen["median_s"] / best["median_s"] - 1)) < 1e-9, r
assert len(j["rankings"]) == 2
END
}
check 'predictions are those of timeless study, with the ranking and what a wrong choice costs' predicts
spreads() { # a range with noise; the same time for all seeds without
    $timeless measure ranks.csv --platform star-1g --engine loggops --noise 1kHz:50us --seeds 20 --json=n.json --page n.html --plot n.svg \
        >text && cat text && grep -q 'predicted        5 %       95 %' text && grep -q '>predicted<' n.html && grep -q 'predicted, 5 and 95' n.svg &&
        equal "$(value n.json 'sum(c["predicted_high_s"] > c["predicted_low_s"] for c in j["cases"])')" 6 &&
        equal "$(value j.json 'sum(c["predicted_high_s"] > c["predicted_low_s"] for c in j["cases"])')" 0
}
check '--seeds and --noise print and draw the predicted distribution' spreads
messages() { sed 's/allreduce/pingpong/; s/ring/default/' quiet.csv >pp.csv && $timeless measure pp.csv --platform star-1g --json=pp.json >text &&
    printf 'skeleton 1\nranks 4\nif rank < 2 { MPI_Sendrecv peer=1 - rank recv_peer=1 - rank count=8 }\n' >one.skel &&
    one=$($timeless replay -q one.skel -p star-1g --no-compute --ranks-per-host 2) &&
    equal "$(value pp.json "1.8 < j['cases'][0]['predicted_s'] / $one < 2.2")" True; }
check 'a pingpong is predicted as two messages, one after the other' messages
draws() { $timeless measure ranks.csv --platform star-1g --engine loggops --plot p.svg --page p.html >/dev/null &&
    grep -q '<svg' p.svg && grep -q '>predicted<' p.svg && grep -q '1024 B, ring' p.html; }
check '--plot and --page show each algorithm' draws

# ---- wrong input ----

sed '20s/,[0-9.]*$//; 20s/,/,x/2' hog.csv >broken.csv
grep -v '^0,default,8,7,3,' hog.csv >lacking.csv
refuses() { local code=0; $timeless measure broken.csv 2>said || code=$?; cat said; [ $code = 3 ] &&
    grep -q '^timeless: broken.csv:20: ' said; }
check 'a line that is no row exits 3 and is named' refuses
check_exit 3 'a repetition without one of its ranks exits 3' $timeless measure lacking.csv
check_exit 4 'a launcher that fails exits 4' $timeless measure allreduce -o x.csv -- false
check 'and leaves no file' sh -c '! ls x.csv*'
check '--seeds and --noise without a platform exit 2' sh -c 'for option in --seeds=5 --noise=1kHz:50us; do
    "$0" measure hog.csv $option 2>said; [ $? = 2 ] && grep -q "give --platform NAME" said || exit 1; done' $timeless
sed 's/,1024,/,4294967296,/' quiet.csv >large.csv
check 'calls of 4 GiB are read' prints '4294967296  default ' $timeless measure large.csv
sed 's/^# operation .*/# operation my run.tl/' quiet.csv >spaced.csv
check 'the name of a trace may have blanks' prints 'my run.tl, 4 ranks' $timeless measure spaced.csv
sed 's/\(.*\);[0-9]*$/\1;inf/' counted.csv >endless.csv
check_exit 3 'a counter must be finite' $timeless measure endless.csv
for list in mpit:a,mpit:b,mpit:c,mpit:d,mpit:e PAPI_TOT_INS mpit:a,, mpit:$(printf %0251d 0); do
    check_exit 2 "--counters ${list::40} are refused" $timeless measure allreduce --counters $list -o x.csv -- false
done
check_exit 2 '--start loop reads no counters' $timeless measure allreduce --start loop --counters mpit:a -o x.csv -- false
check_exit 2 'one-sided operations cannot be predicted' sh -c \
    'sed s/allreduce/put/ hog.csv >put.csv; "$0" measure put.csv --platform star-1g' $timeless
tap_done
