# tests/accuracy
