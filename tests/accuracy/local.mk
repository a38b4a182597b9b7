# tests/accuracy: predictions against the clock, and programs as they come from Debian; run by hand,
# since other load on a machine decides.
EXTRA_DIST += tests/accuracy/applications.sh tests/accuracy/cluster.sh tests/accuracy/cluster_short.sh tests/accuracy/offload.c tests/accuracy/dead_stack.c tests/accuracy/processor_clock.c tests/accuracy/sweep.c tests/accuracy/build_hpl.sh tests/accuracy/hpl_local.sh tests/accuracy/hpl_calls.sh tests/accuracy/hpl_polls.sh tests/accuracy/sample.sh tests/accuracy/hpl_compare.py tests/accuracy/dahu.sh tests/accuracy/dahu_compare.py tests/accuracy/dahu_predictions.csv tests/accuracy/hpl_pivots_600.txt tests/accuracy/compare_prediction.sh tests/accuracy/extrapolate.sh tests/accuracy/README.md
TESTS += tests/accuracy/cluster_short.sh
