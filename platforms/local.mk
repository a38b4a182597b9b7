# platforms: see doc/ARCHITECTURE.md
