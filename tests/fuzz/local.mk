# tests/fuzz: the harnesses, run on their corpora by make check and by fuzzers with run.sh, afl.sh and campaign.sh.
FUZZ_SHARED = tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/unit/same_event.h tests/fuzz/replay.c
FUZZ_HARNESSES = tests/fuzz/fuzz_allprof tests/fuzz/fuzz_chunks tests/fuzz/fuzz_dumpi tests/fuzz/fuzz_file tests/fuzz/fuzz_goal tests/fuzz/fuzz_index \
	tests/fuzz/fuzz_measurements tests/fuzz/fuzz_model tests/fuzz/fuzz_noise tests/fuzz/fuzz_options \
	tests/fuzz/fuzz_platform tests/fuzz/fuzz_replay_chunks tests/fuzz/fuzz_replay_text tests/fuzz/fuzz_results \
	tests/fuzz/fuzz_roundtrip tests/fuzz/fuzz_simgrid tests/fuzz/fuzz_text
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer -I$(top_srcdir)/platforms
check_PROGRAMS += $(FUZZ_HARNESSES)
tests_fuzz_fuzz_allprof_SOURCES = tests/fuzz/fuzz_allprof.c $(FUZZ_SHARED)
tests_fuzz_fuzz_allprof_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_chunks_SOURCES = tests/fuzz/fuzz_chunks.c tests/fuzz/chunks.h $(FUZZ_SHARED)
tests_fuzz_fuzz_chunks_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_dumpi_SOURCES = tests/fuzz/fuzz_dumpi.c $(FUZZ_SHARED)
tests_fuzz_fuzz_dumpi_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_file_SOURCES = tests/fuzz/fuzz_file.c $(FUZZ_SHARED)
tests_fuzz_fuzz_file_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_goal_SOURCES = tests/fuzz/fuzz_goal.c $(FUZZ_SHARED)
tests_fuzz_fuzz_goal_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_index_SOURCES = tests/fuzz/fuzz_index.c tests/fuzz/chunks.h $(FUZZ_SHARED)
tests_fuzz_fuzz_index_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_roundtrip_SOURCES = tests/fuzz/fuzz_roundtrip.c $(FUZZ_SHARED)
tests_fuzz_fuzz_roundtrip_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_simgrid_SOURCES = tests/fuzz/fuzz_simgrid.c $(FUZZ_SHARED)
tests_fuzz_fuzz_simgrid_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(FUZZ_SHARED)
tests_fuzz_fuzz_text_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_replay_text_SOURCES = tests/fuzz/fuzz_replay_text.c tests/fuzz/text_mutator.c tests/fuzz/replays.c tests/fuzz/replays.h $(FUZZ_SHARED)
tests_fuzz_fuzz_replay_text_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_replay_text_LDADD = replayer/libreplayer.la compress/libtimeless.la -lm
tests_fuzz_fuzz_replay_chunks_SOURCES = tests/fuzz/fuzz_replay_chunks.c tests/fuzz/chunks.h tests/fuzz/replays.c \
	tests/fuzz/replays.h $(FUZZ_SHARED)
tests_fuzz_fuzz_replay_chunks_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_replay_chunks_LDADD = compress/libtimeless-inner.la replayer/libreplayer.la -lm
tests_fuzz_fuzz_measurements_SOURCES = tests/fuzz/fuzz_measurements.c $(FUZZ_SHARED)
tests_fuzz_fuzz_measurements_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_measurements_LDADD = replayer/libreplayer.la platforms/libnetwork.la compress/libtimeless.la -lm
tests_fuzz_fuzz_model_SOURCES = tests/fuzz/fuzz_model.c $(FUZZ_SHARED)
tests_fuzz_fuzz_model_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_model_LDADD = replayer/libreplayer.la compress/libtimeless.la -lm
tests_fuzz_fuzz_noise_SOURCES = tests/fuzz/fuzz_noise.c $(FUZZ_SHARED)
tests_fuzz_fuzz_noise_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_noise_LDADD = replayer/libreplayer.la compress/libtimeless.la -lm
tests_fuzz_fuzz_options_SOURCES = tests/fuzz/fuzz_options.c $(FUZZ_SHARED)
tests_fuzz_fuzz_options_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_options_LDADD = replayer/libreplayer.la compress/libtimeless.la -lm
tests_fuzz_fuzz_platform_SOURCES = tests/fuzz/fuzz_platform.c $(FUZZ_SHARED)
tests_fuzz_fuzz_platform_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_platform_LDADD = platforms/libgenerate.la compress/libtimeless.la -lm
tests_fuzz_fuzz_results_SOURCES = tests/fuzz/fuzz_results.c $(FUZZ_SHARED)
tests_fuzz_fuzz_results_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_results_LDADD = replayer/libreplayer.la compress/libtimeless.la -lm
# Hostile traces with valid checksums, through every command: mutants.sh.
check_PROGRAMS += tests/fuzz/mutate tests/fuzz/commands
tests_fuzz_mutate_SOURCES = tests/fuzz/mutate.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/unit/events.c tests/unit/events.h
tests_fuzz_mutate_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_fuzz_mutate_LDADD = compress/libtimeless-inner.la $(CMOCKA_LIBS)
# Its main calls that of the command, which has another name here.
tests_fuzz_commands_SOURCES = tests/fuzz/commands.c cli/main.c
tests_fuzz_commands_CPPFLAGS = $(cli_timeless_CPPFLAGS) -Dmain=timeless_main
tests_fuzz_commands_CFLAGS = $(AM_CFLAGS) -Wno-missing-prototypes
tests_fuzz_commands_LDADD = $(filter-out %main.$(OBJEXT),$(cli_timeless_OBJECTS)) $(cli_timeless_LDADD)
TESTS += tests/fuzz/corpus.sh tests/fuzz/mutants.sh
EXTRA_DIST += tests/fuzz/corpus.sh tests/fuzz/mutants.sh tests/fuzz/kinds.py tests/fuzz/run.sh tests/fuzz/afl.sh tests/fuzz/campaign.sh tests/fuzz/campaigns.txt tests/fuzz/corpus
