# PhyML: a tree of species by maximum likelihood, bootstrapped on all ranks.
packages='phyml'
prepare() {
    cp /usr/share/doc/phyml/examples/nucleic . 2>/dev/null || zcat /usr/share/doc/phyml/examples/nucleic.gz >nucleic
    command=(phyml-mpi -i nucleic -b 8 -m HKY85 -o n --r_seed 1 --no_memory_check)
}
findings() { grep -E 'Log likelihood of the current tree' "$1" | head -n 1; }
