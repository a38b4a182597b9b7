# golden: files and readers that must stay right.
check_PROGRAMS += tests/golden/make_trace
tests_golden_make_trace_SOURCES = tests/golden/make_trace.c tests/unit/events.c tests/unit/events.h tests/unit/same_event.h
tests_golden_make_trace_LDADD = compress/libtimeless-inner.la $(CMOCKA_LIBS)
TESTS += tests/golden/format.sh tests/golden/numbers.sh tests/golden/releases.sh
EXTRA_DIST += tests/golden/format.sh tests/golden/numbers.sh tests/golden/numbers.txt tests/golden/enumerators.py tests/golden/releases.sh tests/golden/release.sh tests/golden/read_trace.py tests/golden/same_events.py tests/golden/0.1.0 tests/golden/format-1.1 tests/golden/format-1.2 tests/golden/format-1.3 tests/golden/format-1.4 tests/golden/format-1.5 tests/golden/format-1.6 tests/golden/format-1.7 tests/golden/format-1.8 tests/golden/format-1.9 tests/golden/format-1.10 tests/golden/format-1.11 tests/golden/format-1.12
