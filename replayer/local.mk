# replayer: see doc/ARCHITECTURE.md
