# tests/cli
TESTS += tests/cli/calibrate.sh tests/cli/compare.sh
EXTRA_DIST += tests/cli/calibrate.sh tests/cli/compare.sh
