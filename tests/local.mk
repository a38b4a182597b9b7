# tests: every test speaks TAP.  Programs are cmocka, scripts use tests/tap.sh, transcripts are run by tests/transcript.sh.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' bash $(top_srcdir)/tests/timed.sh $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = bash $(top_srcdir)/tests/cmocka.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = bash
TRANSCRIPT_LOG_DRIVER = $(LOG_DRIVER)
TRANSCRIPT_LOG_COMPILER = bash $(top_srcdir)/tests/transcript.sh
TEST_EXTENSIONS = .sh .transcript
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MPICC='$(MPICC)' MPIFORT='$(MPIFORT)' MPIRUN='$(MPIRUN)' SMPICC='$(SMPICC)' SMPIRUN='$(SMPIRUN)' HPCC='$(HPCC)' MPICC_MPICH='$(MPICC_MPICH)' MPIRUN_MPICH='$(MPIRUN_MPICH)' \
	MPI_CFLAGS='$(MPI_CFLAGS)' SANITIZE='$(SANITIZE)' WITHOUT_MPI='$(WITHOUT_MPI)'; export CMOCKA_MESSAGE_OUTPUT top_srcdir top_builddir MPICC MPIFORT MPIRUN \
	SMPICC SMPIRUN HPCC MPICC_MPICH MPIRUN_MPICH MPI_CFLAGS SANITIZE WITHOUT_MPI;
EXTRA_DIST += tests/tap.sh tests/words.sh tests/transcript.sh tests/runs_mpi.sh tests/source_package.sh tests/cluster.sh tests/slurm.sh tests/wire.c tests/mpi_env.sh tests/hpcc_input.sh tests/setup.sh tests/run.sh tests/packages.txt tests/lint.sh \
	tests/guards.txt tests/guards.sh tests/vacuous.sh tests/distributions.sh tests/environments.sh tests/with_mpich.sh tests/packages.sh tests/roots.sh tests/arm64.sh tests/arm64_root.sh tests/deny.c tests/timed.sh tests/cmocka.sh tests/quick_starts.sh

# These compare times, the work of a machine that nobody else uses.
QUIET_TESTS = tests/accuracy/cluster_nodes_short.sh tests/mpi/hybrid.sh
check-shared: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter-out $(QUIET_TESTS),$(TESTS))' TEST_SUITE_LOG=shared-suite.log
check-quiet: all
	$(MAKE) $(AM_MAKEFLAGS) -j1 check TESTS='$(filter $(QUIET_TESTS),$(TESTS))' TEST_SUITE_LOG=quiet-suite.log
# A first answer: all programs of tests/unit, the format, and a script of each room that needs no calibration.
QUICK_CHECKS = $(filter-out %.sh,$(TESTS)) tests/golden/format.sh tests/golden/numbers.sh tests/unit/format.sh \
	tests/unit/include_rules.sh tests/unit/version.sh tests/cli/bad_input.sh tests/cli/make.sh tests/cli/replay.sh \
	tests/cli/simgrid_text.sh tests/cli/engines_random.sh tests/cli/numbers.sh tests/cli/trace.sh tests/cli/usage.sh \
	tests/mpi/record.sh tests/mpi/calls.sh tests/mpi/hpcc.sh
check-quick: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(QUICK_CHECKS)' TEST_SUITE_LOG=quick-suite.log
.PHONY: check-shared check-quiet check-quick

lint: all
	$(AM_TESTS_ENVIRONMENT) bash $(top_srcdir)/tests/lint.sh
.PHONY: lint

include tests/unit/local.mk
include tests/mpi/local.mk
include tests/cli/local.mk
include tests/golden/local.mk
include tests/fuzz/local.mk
include tests/accuracy/local.mk
include tests/bench/local.mk
