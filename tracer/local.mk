# libtimeless-tracer.so: loaded by LD_PRELOAD into every process of a run, so it needs only libc and
# zstd at load time; MPI, PAPI, BLAS and FFTW are looked up when they are there.
if MPI
pkglib_LTLIBRARIES += tracer/libtimeless-tracer.la
endif
tracer_libtimeless_tracer_la_SOURCES = \
	tracer/blas.c tracer/comparable.c tracer/comparable.h \
	tracer/fftw.c tracer/fortran.c tracer/frames.c tracer/frames.h tracer/gomp.c tracer/helper_kernels.c tracer/hosts.c tracer/hosts.h tracer/kernel.h tracer/next.c tracer/objects.c tracer/objects.h tracer/ompt.c tracer/openblas.c tracer/operators.c tracer/output.c tracer/paths.c tracer/paths.h tracer/python.c tracer/python.h \
	tracer/requests.c tracer/requests.h tracer/runtime.c tracer/runtime.h \
	tracer/samples.c tracer/samples.h tracer/sites.c tracer/sleep.c tracer/split.c tracer/stacks.c tracer/stacks.h tracer/swaps.c tracer/swaps.h tracer/teams.c tracer/teams.h tracer/threads.c tracer/threads.h \
	tracer/ticks.c tracer/ticks.h tracer/turns.c tracer/turns.h tracer/ucx.c tracer/user_kernel.c tracer/utf8.c tracer/volume.c \
	tracer/volume.h tracer/volume_cputime.c \
	tracer/volume_exact.c tracer/exact/exact.h \
	tracer/papi_set.c tracer/papi_set.h \
	tracer/volume_papi.c tracer/volume_rseq.c \
	tracer/workers.c tracer/workers.h \
	tracer/mpi/entries.c tracer/mpi/entries.h tracer/mpi/interface.h tracer/mpi/route.c \
	tracer/mpi/unknown.c tracer/mpi/unknown.h \
	tracer/skip/kernels.c tracer/skip/skip.c tracer/skip/skip.h tracer/skip/wait.c
nodist_tracer_libtimeless_tracer_la_SOURCES = tracer/fortran_names.h tracer/large_counts.h
tracer_libtimeless_tracer_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tracer -Itracer -DTL_HIDDEN
tracer_libtimeless_tracer_la_LIBADD = compress/libtimeless-core.la
tracer_libtimeless_tracer_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -no-undefined \
	-export-symbols-regex '^(P?MPIX?_.*|PMIx_Commit|sleep|usleep|nanosleep|clock_nanosleep|cblas_.*|LAPACKE_.*|fftw[fl]?_.*|timeless_kernel_.*|GOMP_.*|omp_(un)?set_lock|ompt_start_tool|exec_blas(_async)?|sched_yield|sigaction|signal|pthread_create|pthread_join|ucp_worker_progress|[a-z0-9_]+_)$$'

# What is compiled once for each family of MPI (tracer/mpi/interface.h).
FAMILY_SOURCES = \
	tracer/call.h tracer/comms.c tracer/comms.h tracer/completion.c tracer/counters.c tracer/counters.h tracer/messages.c \
	tracer/p2p.c tracer/partitioned.c tracer/pmpi.c tracer/pmpi.h tracer/special.c tracer/types.c tracer/types.h tracer/wrappers.c \
	tracer/mpi/family.c tracer/mpi/large_begin.h tracer/mpi/large_end.h tracer/mpi/names.h
if OPENMPI
noinst_LTLIBRARIES += tracer/libtracer-openmpi.la
tracer_libtracer_openmpi_la_SOURCES = $(FAMILY_SOURCES) tracer/mpi/openmpi.h tracer/roll_call.c
tracer_libtracer_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) $(PMIX_CFLAGS) -I$(srcdir)/tracer -Itracer -DTL_HIDDEN \
	-DTLT_FAMILY_HEADER='"mpi/openmpi.h"'
tracer_libtimeless_tracer_la_CPPFLAGS += -DTLT_WITH_OPENMPI
tracer_libtimeless_tracer_la_LIBADD += tracer/libtracer-openmpi.la
endif
if MPICH
noinst_LTLIBRARIES += tracer/libtracer-mpich.la
tracer_libtracer_mpich_la_SOURCES = $(FAMILY_SOURCES) tracer/mpi/mpich.c tracer/mpi/mpich.h
tracer_libtracer_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CFLAGS) -I$(srcdir)/tracer -Itracer -DTL_HIDDEN \
	-DTLT_FAMILY_HEADER='"mpi/mpich.h"'
tracer_libtimeless_tracer_la_CPPFLAGS += -DTLT_WITH_MPICH
tracer_libtimeless_tracer_la_LIBADD += tracer/libtracer-mpich.la
endif

# LOWER_Send is send: the C preprocessor cannot change case.
tracer/fortran_names.h: $(top_srcdir)/compress/mpi_calls.def
	$(AM_V_GEN)$(MKDIR_P) tracer && $(AWK) -F '[(,]' '/^TL_(CALL|SPECIAL|EXTENSION|TRANSLATED|OPAQUE)\(/ { \
		name = $$3; gsub(/ /, "", name); print "#define LOWER_" name " " tolower(name) }' \
		$(top_srcdir)/compress/mpi_calls.def >$@-t && mv $@-t $@
# LARGE_Send(...) is ..., LARGE_Barrier(...) is nothing: MPI_Send has a twin with large counts.
tracer/large_counts.h: $(top_srcdir)/compress/mpi_calls.def
	$(AM_V_GEN)$(MKDIR_P) tracer && $(AWK) -F '[(,]' '/^TL_(CALL|SPECIAL|EXTENSION|TRANSLATED|OPAQUE)\(/ { \
		name = $$3; gsub(/ /, "", name); \
		print "#define LARGE_" name "(...)" (/ ([RT]?COUNT|R?COUNTS|UNIT)\(/ ? " __VA_ARGS__" : "") }' \
		$(top_srcdir)/compress/mpi_calls.def >$@-t && mv $@-t $@
$(tracer_libtimeless_tracer_la_OBJECTS): tracer/fortran_names.h tracer/large_counts.h
$(tracer_libtracer_openmpi_la_OBJECTS): tracer/large_counts.h
$(tracer_libtracer_mpich_la_OBJECTS): tracer/large_counts.h
CLEANFILES += tracer/fortran_names.h tracer/large_counts.h

include tracer/exact/local.mk

# For programs that name kernels of their own; they link with nothing of ours.
timelessinclude_HEADERS += tracer/timeless_kernel.h tracer/timeless_kernel.f90
