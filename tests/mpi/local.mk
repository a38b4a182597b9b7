# tests/mpi: programs under the tracer.  The C programs are compiled by the scripts.
check_PROGRAMS += tests/mpi/print_events
tests_mpi_print_events_SOURCES = tests/mpi/print_events.c
tests_mpi_print_events_LDADD = compress/libtimeless.la
tests_mpi_print_events_LDFLAGS = $(AM_LDFLAGS) -no-install
MPI_TESTS = \
	tests/mpi/call_times.sh tests/mpi/sample_stacks.sh tests/mpi/call_paths.sh tests/mpi/calls.sh tests/mpi/ends.sh tests/mpi/faults.sh tests/mpi/fit_npb.sh tests/mpi/fitted.sh tests/mpi/fortran.sh tests/mpi/hpcc.sh tests/mpi/isendrecv.sh tests/mpi/kernels.sh tests/mpi/killed.sh tests/mpi/mpich.sh tests/mpi/mpich_suite.sh tests/mpi/ompi_making.sh tests/mpi/unknown_calls.sh tests/mpi/races.sh tests/mpi/record.sh tests/mpi/repeat.sh tests/mpi/record_pack.sh tests/mpi/operators.sh \
	tests/mpi/measure.sh tests/mpi/perform.sh tests/mpi/rows.sh tests/mpi/skip.sh tests/mpi/sleeps.sh tests/mpi/slurm.sh tests/mpi/source_lines.sh tests/mpi/swaps.sh tests/mpi/symbols.sh tests/mpi/threads.sh tests/mpi/user_kernels.sh \
	tests/mpi/volumes.sh
TESTS += $(MPI_TESTS)
EXTRA_DIST += $(MPI_TESTS) \
	tests/ompi_making.py tests/mpi/ompi_making.c tests/mpi/perform_compare.py tests/mpi/clock_apart.awk tests/mpi/clock_apart.c tests/mpi/hog.c tests/mpi/tracer.sh tests/mpi/source/halo.c tests/mpi/source/heat.f90 tests/mpi/source/nested.f90 tests/mpi/source/paths.c tests/mpi/source/solver.cpp tests/mpi/rows/rows.py tests/mpi/rows/frame.c tests/mpi/rows/frame.F90 \
	tests/mpi/calls_collective.c tests/mpi/calls_comm.c tests/mpi/calls_completion.c \
	tests/mpi/call_times.c tests/mpi/sample_stacks.c tests/mpi/calls_p2p.c tests/mpi/ends.c tests/mpi/faults.c tests/mpi/fitted.c tests/mpi/starve.c tests/mpi/hinder.c tests/mpi/isendrecv.c tests/mpi/killed.c tests/mpi/large.c tests/mpi/kernels.c tests/mpi/kernels_fftw.c tests/mpi/operators.c tests/mpi/operators.cpp tests/mpi/fortran/operators.F90 \
	tests/mpi/threads.c tests/mpi/skip.c tests/mpi/sleeps.c tests/mpi/steps.c tests/mpi/swaps.c tests/mpi/expected/swaps tests/mpi/user_kernels.c tests/mpi/fortran/user_kernels.f90 tests/mpi/vectors.c tests/mpi/volumes.c tests/mpi/workers.c \
	tests/mpi/expected/calls_collective.0 tests/mpi/expected/calls_collective.1 \
	tests/mpi/expected/calls_collective.2 tests/mpi/expected/calls_comm.0 \
	tests/mpi/expected/calls_comm.1 tests/mpi/expected/calls_comm.2 tests/mpi/expected/calls_comm.3 \
	tests/mpi/expected/calls_completion.0 tests/mpi/expected/calls_completion.1 \
	tests/mpi/expected/calls_p2p.0 tests/mpi/expected/calls_p2p.1 \
	tests/mpi/expected/mixed.0 tests/mpi/expected/mixed.1 tests/mpi/fortran/binding.h \
	tests/mpi/fortran/calls_collective.F90 tests/mpi/fortran/calls_comm.F90 \
	tests/mpi/fortran/calls_completion.F90 tests/mpi/fortran/calls_p2p.F90 \
	tests/mpi/fortran/isendrecv.F90 tests/mpi/fortran/large.F90 tests/mpi/fortran/mixed.F90 tests/mpi/fortran/mixed.c

EXTRA_DIST += tests/mpi/hpcc_mpich.sh tests/mpi/conformance.sh tests/mpi/conformance/run.py tests/mpi/conformance/removed.h tests/mpi/conformance/yield.c \
	tests/mpi/conformance/openmpi.csv tests/mpi/conformance/mpich.csv

# The differential oracle: its programs, the platforms and the driver.
TESTS += tests/mpi/oracle.sh
EXTRA_DIST += tests/mpi/oracle.sh \
	tests/mpi/oracle.c tests/mpi/oracle_p2p.c tests/mpi/oracle_coll.c tests/mpi/oracle_nbc.c tests/mpi/oracle_schedule.c tests/mpi/oracle_window.c \
	tests/mpi/oracle_jobs.c tests/mpi/oracle/known \
	tests/mpi/oracle/limited/platform.xml tests/mpi/oracle/limited/options.conf tests/mpi/oracle/limited/hosts \
	tests/mpi/oracle.h tests/mpi/oracle_run.h \
	tests/mpi/oracle/star/platform.xml tests/mpi/oracle/star/options.conf tests/mpi/oracle/star/hosts \
	tests/mpi/oracle/fat-tree/platform.xml tests/mpi/oracle/fat-tree/options.conf \
	tests/mpi/oracle/fat-tree/hosts tests/mpi/oracle/shared/platform.xml \
	tests/mpi/oracle/shared/options.conf tests/mpi/oracle/shared/hosts \
	tests/mpi/oracle/dragonfly/platform.xml tests/mpi/oracle/dragonfly/options.conf \
	tests/mpi/oracle/dragonfly/hosts tests/mpi/oracle/model.conf

# Defects of SimGrid that doc/simgrid-findings.md shows by programs.
TESTS += tests/mpi/simgrid_findings.sh
EXTRA_DIST += tests/mpi/simgrid_findings.sh doc/simgrid-findings.md

# Exact instruction counts.
TESTS += tests/mpi/exact.sh
EXTRA_DIST += tests/mpi/exact.sh tests/mpi/exact.c

# Volumes by named events and of helper threads, counters.
TESTS += tests/mpi/counters.sh tests/mpi/volume_events.sh
EXTRA_DIST += tests/mpi/counters.sh tests/mpi/volume_events.sh tests/mpi/helpers.c tests/mpi/stand_in_papi.c

# Ranks with threads.
TESTS += tests/mpi/comm_tags.sh tests/mpi/hybrid.sh tests/mpi/hybrid_unharmed.sh tests/mpi/regions.sh
EXTRA_DIST += tests/mpi/comm_tags.sh tests/mpi/comm_tags.c tests/mpi/comm_tags.h tests/mpi/comm_tags_late.c tests/mpi/hybrid.sh tests/mpi/regions.sh tests/mpi/hybrid.c tests/mpi/hybrid_unharmed.sh tests/mpi/hybrid_unharmed.cpp tests/mpi/threaded_blas.c

# More ranks than cores.
TESTS += tests/mpi/folded.sh
EXTRA_DIST += tests/mpi/folded.sh tests/mpi/folded.c tests/mpi/turns.c

# What more ranks do, out of what a few did.
TESTS += tests/mpi/extrapolate.sh
EXTRA_DIST += tests/mpi/extrapolate.sh tests/mpi/grid.c

# Several hosts, emulated.
TESTS += tests/mpi/calibrate_hosts.sh tests/mpi/hosts.sh tests/mpi/node_dies.sh
EXTRA_DIST += tests/mpi/calibrate_hosts.sh tests/mpi/hosts.sh tests/mpi/node_dies.sh tests/mpi/node_dies.c

# Under Valgrind.
TESTS += tests/mpi/memcheck.sh
EXTRA_DIST += tests/mpi/memcheck.sh tests/mpi/memcheck.py

# Programs of Debian's.
TESTS += tests/mpi/applications.sh
EXTRA_DIST += tests/mpi/applications.sh
