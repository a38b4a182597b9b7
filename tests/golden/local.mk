# tests/golden
