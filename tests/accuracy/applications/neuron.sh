# NEURON: a ring of cells that spike, exchanged every few steps.
packages='neuron'
prepare() {
    cat >ring.hoc <<'IN'
objref pc, cells, nil, nc, syn, stims, cons, times, ids
pc = new ParallelContext()
begintemplate Cell
public soma, syn
create soma
objref syn
proc init() {
    soma { L = 20 diam = 20 insert hh }
    soma syn = new ExpSyn(0.5)
    syn.tau = 2
}
endtemplate Cell
cells = new List()
cons = new List()
times = new Vector()
ids = new Vector()
n = 16
for (i = pc.id; i < n; i += pc.nhost) {
    cells.append(new Cell())
    pc.set_gid2node(i, pc.id)
    cells.o(cells.count - 1).soma nc = new NetCon(&v(0.5), nil)
    pc.cell(i, nc)
    pc.spike_record(i, times, ids)
}
for (k = 0; k < cells.count; k += 1) {
    i = pc.id + k * pc.nhost
    nc = pc.gid_connect((i + n - 1) % n, cells.o(k).syn)
    nc.delay = 1
    nc.weight = 0.05
    cons.append(nc)
}
objref stim
if (pc.gid_exists(0)) {
    cells.o(0).soma stim = new IClamp(0.5)
    stim.del = 1
    stim.dur = 1
    stim.amp = 1
}
pc.set_maxstep(1)
stdinit()
finitialize(-65)
pc.psolve(100)
count = pc.allreduce(times.size, 1)
if (pc.id == 0) printf("spikes %d\n", count)
pc.runworker()
pc.done()
quit()
IN
    sed -i '/^stdinit()$/d' ring.hoc
    command=(nrniv -mpi ring.hoc)
}
findings() { grep '^spikes' "$1"; }
