# libtimeless: the trace file.  libc, zstd and (inlined) xxhash only.
TIMELESS_SOURCES = \
	compress/timeless.h compress/mpi_calls.def compress/kernels.def \
	compress/schema.c compress/status.c

# The public library, and the same objects with every symbol hidden for the tracer to carry along.
lib_LTLIBRARIES += compress/libtimeless.la
compress_libtimeless_la_SOURCES = $(TIMELESS_SOURCES)
compress_libtimeless_la_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) $(ZSTD_CFLAGS)
compress_libtimeless_la_LIBADD = $(ZSTD_LIBS)
compress_libtimeless_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined

timelessincludedir = $(includedir)/timeless
timelessinclude_HEADERS = compress/timeless.h compress/mpi_calls.def compress/kernels.def
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = compress/timeless.pc
