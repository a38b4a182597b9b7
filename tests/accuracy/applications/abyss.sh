# ABySS: the assembly of short reads of a random genome by ABYSS-P.
packages='abyss'
prepare() {
    genome_reads
    command=(/usr/lib/abyss/ABYSS-P -k21 -c1 -e0 -o contigs.fa reads.fa)
}
findings() { grep -E '^Assembled' "$1"; }
