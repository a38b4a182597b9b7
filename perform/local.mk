# timeless-perform: a trace, run as a real MPI program.
noinst_LTLIBRARIES += perform/libkernels.la
perform_libkernels_la_SOURCES = perform/kernels.c perform/kernels.h perform/routines.def perform/transforms.c perform/transforms.h
perform_libkernels_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/perform
perform_libkernels_la_LIBADD = compress/libtimeless.la -ldl
noinst_LTLIBRARIES += perform/libperform.la
perform_libperform_la_SOURCES = perform/check.c perform/check.h
perform_libperform_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/perform -I$(top_srcdir)/replayer
perform_libperform_la_LIBADD = perform/libkernels.la compress/libtimeless.la

if MPI
pkglibexec_PROGRAMS += perform/timeless-perform
endif
perform_timeless_perform_SOURCES = \
	perform/calls.c perform/compute.c perform/counters.c perform/counters.h perform/inside.c perform/inside.h perform/measure.c perform/measure.h perform/messages.c perform/objects.c perform/perform.c \
	perform/performer.h perform/special.c tracer/frames.c tracer/frames.h tracer/stacks.c tracer/stacks.h
perform_timeless_perform_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/perform -I$(top_srcdir)/replayer -I$(top_srcdir)/symbols -I$(top_srcdir)/tracer $(MPI_CFLAGS)
# GCC reads from MPI_UNWEIGHTED, which is an address without memory behind it.
perform_timeless_perform_CFLAGS = $(AM_CFLAGS) -Wno-stringop-overread
perform_timeless_perform_LDADD = perform/libperform.la replayer/libreplayer.la symbols/libsymbols.la compress/libtimeless.la $(MPI_LIBS) -lm
