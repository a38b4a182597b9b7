# libreplayer: compute model, platform folder, engines, predictions, comparison.
noinst_LTLIBRARIES += replayer/libreplayer.la
replayer_libreplayer_la_SOURCES = \
	replayer/replayer.h replayer/error.h \
	replayer/compare.c replayer/error.c replayer/model.c
replayer_libreplayer_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(LIBCONFIG_CFLAGS) \
	$(JANSSON_CFLAGS) $(SIMGRID_CFLAGS) $(XXHASH_CFLAGS) -DPLATFORMS_FOLDER='"$(pkgdatadir)/platforms"'
replayer_libreplayer_la_LIBADD = compress/libtimeless.la $(LIBCONFIG_LIBS) $(JANSSON_LIBS) \
	$(SIMGRID_LIBS) -lm
