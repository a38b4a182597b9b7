# libtimeless-tracer.so: loaded by LD_PRELOAD into every process of a run, so it needs only libc and
# zstd at load time; MPI, PAPI and BLAS are looked up when they are there.
pkglib_LTLIBRARIES += tracer/libtimeless-tracer.la
tracer_libtimeless_tracer_la_SOURCES = \
	tracer/blas.c tracer/call.h tracer/comms.c tracer/comms.h tracer/completion.c tracer/output.c \
	tracer/p2p.c tracer/pmpi.c tracer/pmpi.h tracer/requests.c tracer/requests.h tracer/runtime.c \
	tracer/runtime.h tracer/sites.c tracer/special.c tracer/volume.c tracer/volume.h \
	tracer/volume_cputime.c tracer/volume_papi.c tracer/volume_perf.c tracer/wrappers.c
tracer_libtimeless_tracer_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -DTL_HIDDEN
tracer_libtimeless_tracer_la_LIBADD = compress/libtimeless-inner.la
tracer_libtimeless_tracer_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -no-undefined \
	-export-symbols-regex '^(MPI_.*|cblas_.*|i?[ds][a-z]+_)$$'
