# source_lines.sh - call sites have the functions and lines of the program's source.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
unset TIMELESS_QUIET
source=$here/source
cd "$scratch" || exit 1

# build NAME COMMAND...: compiles $scratch/NAME
build() { local name=$1; shift; check "$name is compiled" "$@" -o "$name"; }
# sources NAME: the call sites of rank 0 of NAME.tl, as the text form prints them, without their objects
sources() { $timeless dump --rank 0 "$1.tl" | sed -n 's/^site [0-9]* //p'; }
# recorded NAME: NAME runs on two ranks; what record prints is in NAME.said
recorded() { $timeless record -o "$1.tl" -- $MPIRUN -np 2 "./$1" 2>"$1.said"; }
# has NAME PATTERN...: for each pattern there is a call site
has() {
    local name=$1 pattern; shift
    for pattern in "$@"; do says "~$pattern" <(sources "$name") || return 1; done
}
# line FILE PATTERN: the number of its first line with the pattern
line() { grep -n -m 1 -- "$2" "$source/$1" | cut -d : -f 1; }
wrapper="function=\"transfer\" file=\"halo.c\" line=$(line halo.c '    MPI_Sendrecv')"
inlined="function=\"meet\" file=\"halo.c\" line=$(line halo.c '    MPI_Barrier') function=\"step\" file=\"halo.c\" line=$(line \
    halo.c '    meet(')"
main="function=\"main\" file=\"halo.c\" line=$(line halo.c '    MPI_Init')"
quiet_about_lines() { ! grep -E 'line table|source lines' "$1.said"; }

# ---- C: position-independent or not, a library, other compilers ----
build halo $MPICC -O2 -g "$source/halo.c"
check "halo is recorded" recorded halo
check "a call site has its function, file and line, and inlined functions" has halo "$wrapper\$" "$inlined\$" "$main\$"
check "halo: record prints nothing about lines" quiet_about_lines halo
build fixed $MPICC -O2 -g -no-pie "$source/halo.c"
check "fixed is recorded" recorded fixed
check "a program at a fixed address has them, too" has fixed "$wrapper\$" "$inlined\$"
build libhalo.so $MPICC -O2 -g -shared -fPIC -DWRAPPER "$source/halo.c"
build linked $MPICC -O2 -g -DIN_LIBRARY "$source/halo.c" -L. -lhalo -Wl,-rpath,"$scratch"
check "linked is recorded" recorded linked
check "a shared library has them" has linked "object=\"libhalo.so\" .* $wrapper\$" "object=\"linked\" .* $inlined\$"
build clang env OMPI_CC=clang MPICH_CC=clang $MPICC -O1 -g "$source/halo.c"
check "clang is recorded" recorded clang
check "a program of clang, which writes no table of addresses, has them" has clang "$wrapper\$" "$inlined\$"

# ---- debug information in a file of its own ----
split() { # by the debug link, or by the build ID in a folder
    cp halo "$1" && objcopy --only-keep-debug "$1" "$1.debug" && strip "$1" && objcopy --add-gnu-debuglink="$1.debug" "$1"
}
check "split is made" split split
check "split is recorded" recorded split
check "a separate debug file has the lines" has split "$wrapper\$" "$inlined\$"

# ---- nothing to find ----
build bare $MPICC -O2 "$source/halo.c"
check "bare is recorded" recorded bare
check "without -g there are names of functions" has bare 'function="transfer" file="" line=0$' 'function="main" file="" line=0$'
one_report() { equal "$(grep -c 'line numbers' "$1.said")" 1 &&
    says "~^timeless: $1.tl: no line numbers in $1; compile with -g\$" "$1.said"; }
check "without -g, record reports it once" one_report bare
cp bare stripped && strip stripped
check "stripped is recorded" recorded stripped
check "a stripped program, too" one_report stripped
nothing_found() { ! sources stripped | grep function=; }
check "a stripped program has call sites without source" nothing_found
check "--quiet reports nothing" equal "$($timeless record -q -o quiet.tl -- $MPIRUN -np 2 ./stripped 2>&1)x" x

# ---- Fortran and C++ ----
build heat $MPIFORT -O2 -g "$source/heat.f90"
check "heat is recorded" recorded heat
check "Fortran: modules, external procedures, the program" has heat \
    'function="grid::exchange" file="heat.f90" line=[89]' 'function="total" file="heat.f90" line=34' \
    'function="heat" file="heat.f90" line=1'
build nested $MPIFORT -O2 -g "$source/nested.f90"
check "nested is recorded" recorded nested
meet=$(line nested.f90 '    call MPI_Barrier(MPI_COMM_WORLD') all=$(line nested.f90 '    call MPI_Allreduce')
check "Fortran: a procedure of a module that is inlined" has nested \
    "function=\"grid::meet\" file=\"nested.f90\" line=$meet function=\"grid::step\" file=\"nested.f90\" line=$(line nested.f90 '    call meet(')"
check "Fortran: a procedure that the program contains" has nested "function=\"total\" file=\"nested.f90\" line=$all"
build heat-bare $MPIFORT -O0 "$source/heat.f90"
check "heat-bare is recorded" recorded heat-bare
check "Fortran without -g: names without what the compiler adds" has heat-bare 'function="grid::exchange"' 'function="total"'
build solver ${MPICXX:-mpicxx} -O2 -g "$source/solver.cpp"
check "solver is recorded" recorded solver
check "C++: namespaces, templates, operators" has solver 'function="solver::Field<float>::exchange" file="solver.cpp" line=10' \
    'function="solver::\(anonymous\)::total" file="solver.cpp" line=19' 'function="solver::Tell::operator\(\)" file="solver.cpp" line=26'
build solver-bare ${MPICXX:-mpicxx} -O2 "$source/solver.cpp"
check "solver-bare is recorded" recorded solver-bare
check "C++ without -g: names are demangled" has solver-bare 'function="solver::Field<float>::exchange"' \
    'function="solver::\(anonymous namespace\)::total"' 'function="solver::Tell::operator\(\)'

# ---- where they are printed ----
check "the trace is readable without the program" rm halo
check "info prints them" says '~MPI_Barrier +meet \(halo.c:[0-9]+\) < step \(halo.c:[0-9]+\)' <($timeless info --sections halo.tl)
check "dump --json has them" says '~"source":"meet \(halo.c:[0-9]+\) < step \(halo.c:[0-9]+\)"' <($timeless dump --json halo.tl)
export TIMELESS_PLATFORMS=$top_srcdir/platforms
check "a replay with details and timeline" eval \
    "$timeless replay halo.tl --platform star-1g --ranks-per-host 1 --details --timeline t.csv >details"
check "replay --details prints them" says '~^MPI_Sendrecv_replace transfer \(halo.c:[0-9]+\) ' details
check "computation on the critical path has the calls around it" says \
    '~^  compute transfer \(halo.c:[0-9]+\) .. meet \(halo.c:[0-9]+\) ' details
check "the timeline has them" says '~"transfer \(halo.c:[0-9]+\)"' t.csv
check "the report has them" eval \
    "$timeless report halo.tl --platform star-1g --ranks-per-host 1 -o r.html && grep -q 'transfer (halo.c:' r.html"

# ---- later ----
build halo $MPICC -O2 -g "$source/halo.c"
check "a run is recorded without packing" $timeless record -q --no-pack -o later.tl -- $MPIRUN -np 2 ./halo
check "it has no lines" eval "! sources later | grep function="
check "pack finds the lines" $timeless pack later.tl -o later2.tl
check "pack: they are the same" has later2 "$wrapper\$" "$inlined\$"
check "the program is compiled again, with another result" $MPICC -O0 -g "$source/halo.c" -o halo
check "pack does not use a program that has changed" $timeless pack later.tl -o later3.tl
cp err said
check "pack reports that it has changed" says '~^timeless: later3.tl: without source lines: the run had another version of halo$' said
check "and finds no lines" eval "! sources later3 | grep function="
check "a part of the trace has them" $timeless cut halo.tl --section 1 -o part.tl
check "the part: they are the same" has part "$inlined\$"

# ---- servers of debug information ----
# libdw asks them for what a stripped program lacks.
cat >server.py <<'END'
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
while True:
    listener.accept()[0].close()
    print("asked", flush=True)
END
python3 server.py >asked &
server=$!
until [ -s asked ]; do sleep 0.1; done
with_server() { # PROGRAM
    DEBUGINFOD_CACHE_PATH=$scratch/cache DEBUGINFOD_URLS="http://127.0.0.1:$(head -n 1 asked)" \
        $timeless record -q -o alone.tl -- $MPIRUN -np 1 "$1"
}
check "a server of debug information is known: a program with lines is recorded" with_server ./linked
check "the server is not asked" equal "$(wc -l <asked)" 1
if ls /usr/lib/*/libdebuginfod.so.1 >/dev/null 2>&1; then
    check "a stripped program is recorded" with_server ./stripped
    check "the server is asked" equal "$(($(wc -l <asked) > 1))" 1
else
    skip "a stripped program is recorded" "libdebuginfod is not installed"
    skip "the server is asked" "libdebuginfod is not installed"
fi
kill $server

# ---- Python ----
if /usr/bin/python3 -c 'import mpi4py, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && ! uses_mpich; then
    cat >Größe.py <<'END'
from mpi4py import MPI

def halo(comm):
    comm.Barrier()  # halo

def step(comm):
    halo(comm)  # step

class Sum:
    def all(self, comm):
        return comm.allreduce(1)  # sum

step(MPI.COMM_WORLD)
print(Sum().all(MPI.COMM_WORLD))
END
    py() { grep -n "# $1\$" Größe.py | cut -d : -f 1; }
    check "Python is recorded" $timeless record -o python.tl -- $MPIRUN -np 2 /usr/bin/python3 Größe.py
    check "Python: functions, methods and lines" has python "function=\"halo\" file=\"Größe.py\" line=$(py halo)\$" \
        "function=\"Sum.all\" file=\"Größe.py\" line=$(py sum)\$" 'function="<module>" file="Größe.py" line=1$'
    check "Python: record prints nothing about the interpreter's lines" eval "! grep -q 'line numbers' err"
    check "Python is recorded with call paths" \
        env TIMELESS_CALL_PATHS=8 $timeless record -q -o paths.tl -- $MPIRUN -np 2 /usr/bin/python3 Größe.py
    check "Python: the path of a call" says "~MPI_Barrier +halo \(Größe.py:$(py halo)\) < step:$(py step) < <module>:[0-9]+ " \
        <($timeless info --sections paths.tl)
else
    for what in "is recorded" "functions, methods and lines" "record prints nothing about the interpreter's lines" \
        "is recorded with call paths" "the path of a call"; do
        skip "Python: $what" "no mpi4py for this MPI, or a Python other than 3.11 to 3.13"
    done
fi
tap_done
