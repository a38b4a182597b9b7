# traces: small samples, what made them, and how to make them again (traces/README.md).
SAMPLE_TRACES = traces/hpl-4.tl traces/stencil-64.tl traces/wavefront-16.tl traces/irregular-16.tl \
	traces/hybrid-4.tl
# The patterns of timeless make, in the order of its help.
SKELETONS = traces/skeletons/dissemination.skel traces/skeletons/binomial.skel traces/skeletons/binomial_reduce.skel \
	traces/skeletons/scatter.skel traces/skeletons/gather.skel traces/skeletons/doubling.skel \
	traces/skeletons/ring.skel traces/skeletons/stencil2d.skel traces/skeletons/stencil3d.skel \
	traces/skeletons/sweep.skel traces/skeletons/token.skel traces/skeletons/alltoall.skel \
	traces/skeletons/random.skel traces/skeletons/call_barrier.skel traces/skeletons/call_bcast.skel \
	traces/skeletons/call_reduce.skel traces/skeletons/call_allreduce.skel traces/skeletons/call_gather.skel \
	traces/skeletons/call_scatter.skel traces/skeletons/call_allgather.skel traces/skeletons/call_alltoall.skel \
	traces/skeletons/call_reduce_scatter.skel traces/skeletons/call_scan.skel
SCHEDULES = traces/schedules/allgather_doubling.sched traces/schedules/allgather_ring.sched traces/schedules/allreduce_doubling.sched \
	traces/schedules/allreduce_ring.sched traces/schedules/alltoall_bruck.sched traces/schedules/alltoall_pair.sched \
	traces/schedules/alltoall_ring.sched traces/schedules/barrier_dissemination.sched traces/schedules/bcast_binomial.sched \
	traces/schedules/bcast_scatter_ring.sched traces/schedules/gather_binomial.sched traces/schedules/reduce_binomial.sched \
	traces/schedules/reduce_rabenseifner.sched traces/schedules/reduce_scatter_halving.sched traces/schedules/scatter_binomial.sched
nobase_dist_pkgdata_DATA += $(SAMPLE_TRACES) $(SKELETONS) $(SCHEDULES) traces/README.md
EXTRA_DIST += traces/stencil.c traces/wavefront.c traces/irregular.c traces/hybrid.c traces/regenerate.sh

regenerate-traces: all
	PATH='$(abs_top_builddir)/cli':"$$PATH" TIMELESS_PLATFORMS='$(abs_top_srcdir)/platforms' MPICC='$(MPICC)' \
		bash $(top_srcdir)/traces/regenerate.sh $(TRACES)
.PHONY: regenerate-traces
