# tests/cli
TESTS += tests/cli/calibrate.sh
EXTRA_DIST += tests/cli/calibrate.sh
