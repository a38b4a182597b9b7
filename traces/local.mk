# traces: see doc/ARCHITECTURE.md
