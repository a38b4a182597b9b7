#!/usr/bin/env bash
# The sample traces: complete, replayed by both engines, made again by their commands.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
PATH=$(dirname "$timeless"):$PATH
export TIMELESS_PLATFORMS=$top_srcdir/platforms MPICC
cd "$scratch" || exit 99
mkdir tests
cp -r "$top_srcdir/traces" traces && chmod -R u+w traces

complete() { timeless info "$1" | grep -qE '^complete +yes'; }
logp=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
calls() { timeless info "$1" | awk '/^ +events  call/ {on = 1; next} on'; }
n=0
for trace in traces/*.tl; do
    n=$((n + 1))
    check "$trace is complete" complete "$trace"
    check "$trace is replayed by the SimGrid engine" \
        timeless replay "$trace" --platform graphene --ranks-per-host 1
    check "$trace is replayed by the LogGOPS engine" \
        timeless replay "$trace" --engine loggops --params $logp --platform star-1g
    check "$trace is in the README" grep -qF "\`$(basename "$trace")\`" traces/README.md
done
check "there are at least five samples" test "$n" -ge 5
while IFS= read -r command <&3; do
    check "traces/README: $command" bash -c "$command"
done 3< <(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' traces/README.md)

# The events of a program that computes the same are the same again.
calls traces/wavefront-16.tl >before
cp "$top_srcdir"/tests/{mpi_env,hpcc_input}.sh tests/
if [ "${WITHOUT_MPI:-}" = yes ]; then skip "regenerate.sh records a trace again" "this build is without MPI"
else check "regenerate.sh records a trace again" bash traces/regenerate.sh wavefront-16; fi
calls traces/wavefront-16.tl >after
check "the new trace has the calls of the old one" diff before after
tap_done
