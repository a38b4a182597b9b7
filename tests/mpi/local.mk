# tests/mpi
check_PROGRAMS += tests/mpi/print_events
tests_mpi_print_events_SOURCES = tests/mpi/print_events.c
tests_mpi_print_events_LDADD = compress/libtimeless.la
EXTRA_DIST += \
	tests/mpi/calls_collective.c tests/mpi/calls_comm.c tests/mpi/calls_completion.c \
	tests/mpi/calls_p2p.c
