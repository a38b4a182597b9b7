# tests/unit
check_PROGRAMS += tests/unit/model
TESTS += tests/unit/model
tests_unit_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_model_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/compare
TESTS += tests/unit/compare
tests_unit_compare_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_compare_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
