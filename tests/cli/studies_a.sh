#!/usr/bin/env bash
# doc/studies, pages 1 to 3: the commands of the pages work, and print what the pages print. A command that takes longer
# than a few seconds runs here with fewer ranks and sizes, and its rows are compared; STUDIES=full runs the whole.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
PATH=$(dirname "$timeless"):$PATH
cp -r "$top_srcdir/doc/studies" "$scratch/studies" && chmod -R u+w "$scratch/studies" && cd "$scratch/studies" || exit 99

# command_of PAGE [N]: its N-th command, which is a line; output_of PAGE: what the page prints for it
command_of() { sed -n '/^```sh$/,/^```$/{/^```/!p}' "$1" | sed -n "${2:-1}p"; }
output_of() { sed -n '/^```text$/,/^```$/p' "$1" | sed '/^```/d'; }
# rows_are_printed PAGE PATTERN: rows of the page that match it, of which there are some, are lines of the file printed
rows_are_printed() {
    output_of "$1" | grep -E -- "$2" >rows && [ -s rows ] || return 1
    while IFS= read -r row; do grep -qxF -- "$row" printed || { echo "not printed: $row"; return 1; }; done <rows
}
whole() { # PAGE: the command of the page prints what the page prints
    [ "${STUDIES:-}" = full ] || return 0
    check "$1: the whole command" bash -c "$(command_of "$1")"
    cp "$scratch/out" printed
    check "$1: the page has its output" rows_are_printed "$1" '[0-9]'
}

for page in switches alltoall noise; do
    check "$page.md has a command and at most 70 lines" test "$(grep -c '^```sh$' $page.md)" -ge 1 -a "$(wc -l <$page.md)" -le 70
    whole $page.md
done
check 'README.md has six entries' test "$(grep -c '^| [1-6]\. ' README.md)" = 6

# ---- switches ----
small=$(command_of switches.md | sed 's/,fat-tree@top-[64]//g')
check 'switches: none and one left out' bash -c "$small"
check 'switches: the page has these rows' bash -c 'while IFS= read -r row; do grep -qF -- "$row" switches.md ||
    exit 1; done <"$1"' - "$scratch/out"

# ---- alltoall ----
small=$(command_of alltoall.md | sed 's/--ranks [^ ]*/--ranks 16,64/; s/ --plot [^ ]*//')
check 'alltoall: 16 and 64 ranks' bash -c "$small"
cp "$scratch/out" printed
for ranks in 16 64; do
    output_of alltoall.md | sed -n "/^$ranks ranks/,/^$/p" | grep -E '^ +[0-9]' >rows
    sed -n "/^$ranks ranks/,/^$/p" printed | grep -E '^ +[0-9]' >now
    check "alltoall: the page has the times of $ranks ranks" cmp rows now
done

# ---- noise ----
small=$(command_of noise.md | sed 's/--ranks [^ ]*/--ranks 64/; s/ --plot [^ ]*//')
check 'noise: 64 ranks' bash -c "$small"
cp "$scratch/out" printed
check 'noise: the page has these rows' rows_are_printed noise.md '^ .* 64 .*%'
check 'noise: a row for each program and noise' test "$(grep -c ' 64 .*%' printed)" = 10
tiny=(dissemination.skel --set iterations=20 --ranks 16 --engine loggops -p theta --ranks-per-host 1)
check 'noise: the JSON has the makespans of single replays' bash -c 'timeless study noise "$@" --noise 1kHz:50us --json=n.json &&
    timeless replay "$@" --noise 1kHz:50us --json=one.json' - "${tiny[@]}"
check 'noise: the amplification is the growth by the time that is taken from a rank' python3 -c '
import json
(c,) = json.load(open("n.json"))["cases"]
one = json.load(open("one.json"))
ranks = one["ranks"]
taken = sum(r["noise_s"] for r in ranks) / len(ranks)
assert c["makespan_s"] == one["makespan_s"] and c["ranks"] == 16
assert abs(c["taken_s"] - taken) < 1e-12
grown = c["makespan_s"] - c["makespan_without_noise_s"]
assert abs(c["amplification"] - grown / taken) < 1e-9 * c["amplification"], c'
printf '%s\n' 'skeleton 1' 'ranks 2' >empty.skel
check 'noise: a program that takes no time has no growth' prints '~^  empty.skel +recorded  takes no time$' \
    timeless study noise empty.skel --engine loggops \
    --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --noise 1kHz:50us
check 'noise: means over seeds' bash -c 'timeless study noise "$@" --noise 1kHz:50us --seeds 2 --json=two.json &&
    timeless replay "$@" --noise 1kHz:50us --seed 2 -q >second' - "${tiny[@]}"
check '... are those of the single seeds' python3 -c '
import json
(c,) = json.load(open("two.json"))["cases"]
(first,) = json.load(open("n.json"))["cases"]
assert c["seeds"] == 2
assert abs(c["makespan_s"] - (first["makespan_s"] + float(open("second").read())) / 2) < 1e-12, c'
check 'noise: a noise of the platforms is that file' bash -c 'a=$(timeless replay "$@" --noise chic -q) &&
    [ "$a" = "$(timeless replay "$@" --noise "$TIMELESS_PLATFORMS/noise/chic" -q)" ]' - "${tiny[@]}"
check 'noise: a name that is no noise is refused with the names that there are' refused 4 \
    "no noise has this name in .*/noise (altix, chic, jaguar, zeptoos); give " \
    timeless replay "${tiny[@]}" --noise nowhere
check 'noise: the script beside the noises is none of them, and the names are listed, too' ends_with 4 \
    'make.py.*no noise has this name in .*/noise (altix, chic, jaguar, zeptoos); give ' timeless replay "${tiny[@]}" --noise make.py
check 'a file that does not exist is not called a trace: the message says that it cannot be opened' ends_with 4 \
    '~^timeless: absent.skel: cannot be opened: ' timeless replay absent.skel --platform theta --ranks 8
check 'noise: one rank has the amplification 1' bash -c \
    'timeless study noise hpl:N=300 --ranks 1 "$@" --noise 10kHz:10us --json |
        grep -q "\"amplification\": \(1.0\(000000\|,\)\|0.999999\)"' - "${tiny[@]:5}"
check 'noise: detours of 2.5 us at 10 Hz' timeless study noise "${tiny[@]}" --noise 10Hz:2.5us --noise 10Hz:2.5ms --seeds 20 --json=f.json
check '... hardly hurt, those of 2.5 ms do' python3 -c '
import json
short, long = [c["makespan_s"] / c["makespan_without_noise_s"] for c in json.load(open("f.json"))["cases"]]
assert short < 1.02 and long > 2, (short, long)'
check 'noise: make.py writes the files of the platforms' bash -c 'cp -r "$TIMELESS_PLATFORMS/noise" made &&
    chmod -R u+w made &&
    python3 made/make.py && diff -r made "$TIMELESS_PLATFORMS/noise"'
check 'noise: they have the published shares' python3 -c '
for name, share in (("chic", 0.21), ("altix", 0.05), ("zeptoos", 0.08), ("jaguar", 0.02)):
    rows = [[int(x) for x in line.split()] for line in open("made/" + name) if line[0] != "#"]
    got = 100 * sum(d for _, d in rows) / sum(rows[-1])
    assert abs(got - share) < 1e-6, (name, got)'

# ---- HPL by its number of ranks ----
same() { [ "$(timeless replay "$1" -p theta --engine loggops --ranks-per-host 1 -q)" = "$(timeless replay "$2" -p theta \
    --engine loggops --ranks-per-host 1 -q)" ]; }
for grid in 12:3:4 16:4:4 7:1:7; do
    IFS=: read -r ranks p q <<<"$grid"
    check "HPL on $ranks ranks is a grid of ${p}x$q" same "hpl:N=300,NB=32,MOVES=0,RANKS=$ranks" "hpl:N=300,NB=32,MOVES=0,P=$p,Q=$q"
done
check_exit 2 'HPL refuses 0 ranks' timeless replay hpl:N=300,RANKS=0 -p theta --engine loggops
check 'HPL without a grid may get one by its ranks' refused 2 \
    'P and Q or RANKS, are required' \
    timeless replay hpl:N=300 -p theta --engine loggops
check 'noise: the picture' timeless study noise "${tiny[@]}" --noise chic --noise jaguar --plot n.svg
check '... has a panel for each noise and a line for the program' bash -c 'grep -q chic n.svg && grep -q jaguar n.svg &&
    grep -q dissemination.skel n.svg'
tap_done
