# doc: see doc/ARCHITECTURE.md
