# tests/cli
TESTS += tests/cli/replay.sh tests/cli/calibrate.sh tests/cli/compare.sh tests/cli/trace.sh
EXTRA_DIST += tests/cli/replay.sh tests/cli/calibrate.sh tests/cli/compare.sh tests/cli/trace.sh
