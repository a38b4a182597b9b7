# Ray: the assembly of short reads of a random genome; ranks that poll for messages.
packages='ray'
prepare() {
    genome_reads
    rm -rf assembly
    command=(Ray -k 21 -s reads.fa -o assembly)
}
findings() { grep -aE 'Total length:|Number:' "$1" | head -n 4; }
