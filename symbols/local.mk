# symbols: the source lines of call sites. Without libdw (elfutils) none are found.
noinst_LTLIBRARIES += symbols/libsymbols.la
symbols_libsymbols_la_SOURCES = symbols/names.c symbols/names.h symbols/object.h symbols/symbols.c symbols/symbols.h
symbols_libsymbols_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/symbols $(LIBDW_CFLAGS)
symbols_libsymbols_la_LIBADD = $(LIBDW_LIBS)
if LIBDW
symbols_libsymbols_la_SOURCES += symbols/object_dw.c
else
symbols_libsymbols_la_SOURCES += symbols/object_none.c
endif
EXTRA_DIST += symbols/object_dw.c symbols/object_none.c
