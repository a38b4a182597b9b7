#!/usr/bin/env bash
# mutants.sh: hostile traces with valid checksums through every command that takes a trace, with both engines.
# Eight kinds of traces (kinds.py), MUTANTS (25) mutants of each (mutate.c) with the seeds from FIRST (1) on.
# In a build by configure --enable-sanitizers MUTANTS=625 is the campaign of the acceptance:
#     MUTANTS=625 bash tests/fuzz/mutants.sh      (from the build folder; hours)
# KINDS='files.txt windows.txt' tries these kinds alone.  A mutant with a finding is kept as KEEP/KIND.SEED.tl, if there is a folder KEEP.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
top_srcdir=$(cd "$top_srcdir" && pwd) top_builddir=$(cd "$top_builddir" && pwd)
. "$top_srcdir/tests/tap.sh"
: "${MUTANTS:=25}" "${FIRST:=1}"
# SimGrid's own crashes are told apart by us, and no report may be taken for an exit code of a command.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
# Addresses of functions are looked up once, and not in each of the processes that commands forks.
export LD_BIND_NOW=1
cd "$scratch" || exit 99

mkdir -p work/p
cat >work/p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf"><disk id="d0" read_bw="100MBps" write_bw="50MBps"/></host>
<host id="n1" speed="1Gf"><disk id="d1" read_bw="100MBps" write_bw="50MBps"/></host>
<host id="n2" speed="1Gf"><disk id="d2" read_bw="100MBps" write_bw="50MBps"/></host>
<host id="n3" speed="1Gf"><disk id="d3" read_bw="100MBps" write_bw="50MBps"/></host>
<link id="l" bandwidth="1GBps" latency="10us"/>
<route src="n0" dst="n1"><link_ctn id="l"/></route><route src="n0" dst="n2"><link_ctn id="l"/></route>
<route src="n0" dst="n3"><link_ctn id="l"/></route><route src="n1" dst="n2"><link_ctn id="l"/></route>
<route src="n1" dst="n3"><link_ctn id="l"/></route><route src="n2" dst="n3"><link_ctn id="l"/></route>
</zone></platform>
XML
echo 'reference_flops = 1e9; seconds_per_flop = 1e-9; units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >work/p/model.conf

python3 "$top_srcdir/tests/fuzz/kinds.py" . || exit 99
n_whole=0 n_all=0
for text in ${KINDS:-*.txt}; do
    kind=${text%.txt}
    "$timeless" undump "$text" -o "$kind.tl" || exit 99
    check "$kind: the trace itself" "$top_builddir/tests/fuzz/commands" work "$PWD/$kind.tl"
    cp "$scratch/out" said
    check "$kind: is replayed to the end" grep -q ' [1-9][0-9]* replays to the end' said
    "$timeless" pack "$kind.tl" -o packed.tl || exit 99
    said=$("$top_builddir/tests/fuzz/mutate" "$kind.tl" packed.tl "$FIRST" "$MUTANTS" "$PWD/$kind") || exit 99
    n_whole=$((n_whole + said)) n_all=$((n_all + MUTANTS))
    mutants=("$PWD/$kind".*.tl)
    check "$kind: $MUTANTS mutants" "$top_builddir/tests/fuzz/commands" work "${mutants[@]}"
    cp "$scratch/out" said
    sed 's/^/# /' said | tail -n "${LINES_SHOWN:-1}"
    for mutant in "${mutants[@]}"; do
        [ -z "${KEEP:-}" ] || ! grep -qF "$mutant: " said || cp "$mutant" "$KEEP"
        rm "$mutant"
    done
done
check "$n_whole of $n_all mutants reach the plan: at least half" test $((2 * n_whole)) -ge $n_all
tap_done
