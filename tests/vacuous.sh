#!/usr/bin/env bash
# vacuous.sh [TEST...] - prints the checks of tests/cli, tests/mpi and tests/golden, or of those scripts, that pass without a
# command `timeless`: with one that does nothing and succeeds, and with one that fails.  Such a check compares
# nothing with nothing, or is about something else: a program that compiles, the tracer alone.  By hand, before a
# release; it takes ten minutes.
top_srcdir=$(cd "$(dirname "$0")/.." && pwd)
top_builddir=$(cd "${top_builddir:-$top_srcdir/build}" && pwd) || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/vacuous.XXXXXX")
trap 'rm -rf "$work"' EXIT
export top_srcdir MPICC MPIFORT MPIRUN SMPICC SMPIRUN HPCC SANITIZE=
[ $# -gt 0 ] || set -- $(cd "$top_srcdir" && ls tests/{cli,mpi,golden}/*.sh |
    grep -vE '/(tracer|like|messages|oracle|release|races|rows|symbols|hosts)\.sh')
for kind in true false; do
    cp -rs "$top_builddir" "$work/$kind"
    rm "$work/$kind/cli/.libs/timeless"
    printf '#!/bin/sh\nexit %d\n' $([ $kind = true ] && echo 0 || echo 1) >"$work/$kind/cli/.libs/timeless"
    chmod +x "$work/$kind/cli/.libs/timeless"
done
for test; do
    for kind in true false; do
        (cd "$work/$kind" && top_builddir=$work/$kind timeout 120 bash "$top_srcdir/$test" </dev/null 2>/dev/null) |
            grep '^ok' | grep -v '# SKIP' | sed -E 's/^ok [0-9]+ - //' | sort -u >"$work/$kind.ok"
    done
    comm -12 "$work/true.ok" "$work/false.ok" | sed "s|^|$test: |"
done
