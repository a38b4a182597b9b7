# tests/fuzz: the harnesses, run on their corpora by make check and by fuzzers with run.sh, afl.sh and campaign.sh.
FUZZ_SHARED = tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/unit/same_event.h tests/fuzz/replay.c
FUZZ_HARNESSES = tests/fuzz/fuzz_chunks tests/fuzz/fuzz_dumpi tests/fuzz/fuzz_file tests/fuzz/fuzz_goal \
	tests/fuzz/fuzz_roundtrip tests/fuzz/fuzz_simgrid tests/fuzz/fuzz_text
check_PROGRAMS += $(FUZZ_HARNESSES)
tests_fuzz_fuzz_chunks_SOURCES = tests/fuzz/fuzz_chunks.c $(FUZZ_SHARED)
tests_fuzz_fuzz_chunks_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_dumpi_SOURCES = tests/fuzz/fuzz_dumpi.c $(FUZZ_SHARED)
tests_fuzz_fuzz_dumpi_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_file_SOURCES = tests/fuzz/fuzz_file.c $(FUZZ_SHARED)
tests_fuzz_fuzz_file_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_goal_SOURCES = tests/fuzz/fuzz_goal.c $(FUZZ_SHARED)
tests_fuzz_fuzz_goal_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_roundtrip_SOURCES = tests/fuzz/fuzz_roundtrip.c $(FUZZ_SHARED)
tests_fuzz_fuzz_roundtrip_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_simgrid_SOURCES = tests/fuzz/fuzz_simgrid.c $(FUZZ_SHARED)
tests_fuzz_fuzz_simgrid_LDADD = compress/libtimeless-inner.la
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(FUZZ_SHARED)
tests_fuzz_fuzz_text_LDADD = compress/libtimeless-inner.la
TESTS += tests/fuzz/corpus.sh
EXTRA_DIST += tests/fuzz/corpus.sh tests/fuzz/run.sh tests/fuzz/afl.sh tests/fuzz/campaign.sh tests/fuzz/corpus
