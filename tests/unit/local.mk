# tests/unit
check_PROGRAMS += tests/unit/actions
TESTS += tests/unit/actions
tests_unit_actions_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/compress $(CMOCKA_CFLAGS)
tests_unit_actions_LDADD = compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/programs
TESTS += tests/unit/programs
tests_unit_programs_SOURCES = tests/unit/programs.c tests/unit/same_event.h
tests_unit_programs_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/compress $(CMOCKA_CFLAGS)
tests_unit_programs_LDADD = compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/fit_words
TESTS += tests/unit/fit_words
tests_unit_fit_words_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/compress $(CMOCKA_CFLAGS)
tests_unit_fit_words_LDADD = compress/libtimeless-inner.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/model
TESTS += tests/unit/model
tests_unit_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_model_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/compare
TESTS += tests/unit/compare
tests_unit_compare_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_compare_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/sample_fit
TESTS += tests/unit/sample_fit
tests_unit_sample_fit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS) $(GSL_CFLAGS)
tests_unit_sample_fit_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) $(GSL_LIBS) -lm

check_PROGRAMS += tests/unit/region_test
TESTS += tests/unit/region_test
tests_unit_region_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS) $(GSL_CFLAGS)
tests_unit_region_test_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) $(GSL_LIBS) -lm


check_PROGRAMS += tests/unit/perform_kernels
TESTS += tests/unit/perform_kernels
tests_unit_perform_kernels_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/perform $(CMOCKA_CFLAGS)
tests_unit_perform_kernels_LDADD = perform/libperform.la replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) -lm

# The trace file.
TRACE_TESTS = tests/unit/roundtrip tests/unit/damage tests/unit/open_frames tests/unit/stream tests/unit/cut tests/unit/index tests/unit/pack tests/unit/precision tests/unit/statistical
check_PROGRAMS += $(TRACE_TESTS)
TESTS += $(TRACE_TESTS)
TRACE_TEST_LIBS = compress/libtimeless-inner.la $(CMOCKA_LIBS)
tests_unit_roundtrip_SOURCES = tests/unit/roundtrip.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_unit_roundtrip_LDADD = $(TRACE_TEST_LIBS)
tests_unit_damage_SOURCES = tests/unit/damage.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_unit_damage_LDADD = $(TRACE_TEST_LIBS)
tests_unit_open_frames_SOURCES = tests/unit/open_frames.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_unit_open_frames_LDADD = $(TRACE_TEST_LIBS)
tests_unit_stream_SOURCES = tests/unit/stream.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_unit_stream_LDADD = $(TRACE_TEST_LIBS)
tests_unit_index_SOURCES = tests/unit/index.c tests/unit/events.c tests/unit/events.h
tests_unit_index_LDADD = $(TRACE_TEST_LIBS)
tests_unit_pack_SOURCES = tests/unit/pack.c tests/unit/events.c tests/unit/events.h
tests_unit_pack_LDADD = $(TRACE_TEST_LIBS)
tests_unit_precision_SOURCES = tests/unit/precision.c tests/unit/events.c tests/unit/events.h
tests_unit_precision_LDADD = $(TRACE_TEST_LIBS)
tests_unit_statistical_SOURCES = tests/unit/statistical.c tests/unit/events.c tests/unit/events.h
tests_unit_statistical_LDADD = $(TRACE_TEST_LIBS) -lm
tests_unit_cut_SOURCES = tests/unit/cut.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_unit_cut_LDADD = $(TRACE_TEST_LIBS)

check_PROGRAMS += tests/unit/calibrate
TESTS += tests/unit/calibrate
tests_unit_calibrate_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(CMOCKA_CFLAGS) $(GSL_CFLAGS)
tests_unit_calibrate_LDADD = platforms/libcalibrate.la compress/libtimeless.la $(CMOCKA_LIBS) $(GSL_LIBS) -lm

check_PROGRAMS += tests/unit/repetitions
TESTS += tests/unit/repetitions
tests_unit_repetitions_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(CMOCKA_CFLAGS)
tests_unit_repetitions_LDADD = platforms/libarchiving.la compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/segments
TESTS += tests/unit/segments
tests_unit_segments_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(CMOCKA_CFLAGS) $(GSL_CFLAGS)
tests_unit_segments_LDADD = platforms/libnetwork.la compress/libtimeless.la $(CMOCKA_LIBS) $(GSL_LIBS) -lm

check_PROGRAMS += tests/unit/platform tests/unit/replay
TESTS += tests/unit/platform tests/unit/replay
tests_unit_platform_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_platform_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_replay_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_replay_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/tolerance
TESTS += tests/unit/tolerance
tests_unit_tolerance_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_tolerance_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/sandbox
TESTS += tests/unit/sandbox
tests_unit_sandbox_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_sandbox_LDADD = replayer/libengine.la compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/event_streams
TESTS += tests/unit/event_streams
tests_unit_event_streams_SOURCES = tests/unit/event_streams.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_unit_event_streams_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_event_streams_LDADD = replayer/libengine.la compress/libtimeless.la $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/loggops tests/unit/loggops_input tests/unit/noise tests/unit/loggops_dataflow tests/unit/loggops_nodes tests/unit/loggops_turns tests/unit/loggops_order tests/unit/loggops_feed tests/unit/loggops_stream
TESTS += tests/unit/loggops tests/unit/loggops_input tests/unit/noise tests/unit/loggops_dataflow tests/unit/loggops_nodes tests/unit/loggops_turns tests/unit/loggops_order tests/unit/loggops_feed tests/unit/loggops_stream
tests_unit_loggops_dataflow_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_dataflow_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_loggops_stream_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_stream_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_loggops_feed_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_feed_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_loggops_nodes_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_turns_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_order_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_nodes_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_loggops_turns_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_loggops_order_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_noise_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_noise_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS) -lm
tests_unit_loggops_input_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_input_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)
tests_unit_loggops_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(CMOCKA_CFLAGS)
tests_unit_loggops_LDADD = replayer/libreplayer.la compress/libtimeless.la $(CMOCKA_LIBS)

# The rules of the house.
TESTS += tests/unit/include_rules.sh tests/unit/format.sh tests/unit/guards.sh tests/unit/transcript.sh tests/unit/version.sh tests/unit/ci.sh tests/unit/judge.sh tests/unit/without_openmpi.sh tests/unit/tested_versions.sh tests/unit/sources_of_constants.sh
EXTRA_DIST += tests/unit/include_rules.sh tests/unit/format.sh tests/unit/guards.sh tests/unit/transcript.sh tests/unit/version.sh tests/unit/ci.sh tests/unit/judge.sh tests/unit/without_openmpi.sh tests/unit/tested_versions.sh tests/unit/sources_of_constants.sh
