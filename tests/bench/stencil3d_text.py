"""stencil3d_text.py AxBxC ITERATIONS - the text of a trace of `patterns stencil3d` on AxBxC ranks.

For more ranks than a machine can run; like a recorded trace after its clocks are set to 0."""
import sys

dims = [int(d) for d in sys.argv[1].split("x")]
ranks = dims[0] * dims[1] * dims[2]
sizes = [4096, 4096, 2048, 2048, 1024, 1024]
print('timeless-text 1\nranks %d\nvolume_unit "none"\nvolume_source "none"\nprogram "./patterns stencil3d %s"'
      % (ranks, sys.argv[2]))
for rank in range(ranks):
    place = [rank // (dims[1] * dims[2]), rank // dims[2] % dims[1], rank % dims[2]]
    loop = []
    for call, flip, first, site in (("Irecv", 0, 1, 2), ("Isend", 1, 7, 3)):
        for i, bytes in enumerate(sizes):
            x = list(place)
            x[i // 2] = (x[i // 2] + 2 * (i % 2) - 1) % dims[i // 2]
            loop.append("MPI_%s count=%d type_bytes=1 peer=%d tag=%d comm=1 request=%d site=%d" % (
                call, bytes, (x[0] * dims[1] + x[1]) * dims[2] + x[2], i ^ flip, first + i, site))
    loop.append("MPI_Waitall list=[%s] site=4" % ",".join(str(r) for r in range(1, 13)))
    events = ["MPI_Init clock_ns=0 site=1"]
    for i in range(int(sys.argv[2])):
        events += loop + ["MPI_Allreduce count=1 type_bytes=8 comm=1 site=5"] * (i % 10 == 9)
    events.append("MPI_Finalize clock_ns=0 site=6")
    print('rank %d host="vm"' % rank)
    for site in range(1, 7):
        print('site %d object="patterns" offset=%d' % (site, 5000 + 200 * site))
    for k, event in enumerate(events):
        print(rank, k, event)
    print("end finalized clock_ns=0")
