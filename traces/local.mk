# traces: small samples, what made them, and how to make them again (traces/README.md).
SAMPLE_TRACES = traces/hpl-4.tl traces/stencil-64.tl traces/wavefront-16.tl traces/irregular-16.tl \
	traces/hybrid-4.tl
SKELETONS = traces/skeletons/alltoall.skel traces/skeletons/binomial.skel traces/skeletons/binomial_reduce.skel \
	traces/skeletons/call_allreduce.skel traces/skeletons/dissemination.skel traces/skeletons/doubling.skel \
	traces/skeletons/gather.skel traces/skeletons/ring.skel traces/skeletons/scatter.skel \
	traces/skeletons/stencil2d.skel traces/skeletons/stencil3d.skel traces/skeletons/sweep.skel \
	traces/skeletons/token.skel
nobase_dist_pkgdata_DATA += $(SAMPLE_TRACES) $(SKELETONS) traces/README.md
EXTRA_DIST += traces/stencil.c traces/wavefront.c traces/irregular.c traces/hybrid.c traces/regenerate.sh

regenerate-traces: all
	PATH='$(abs_top_builddir)/cli':"$$PATH" TIMELESS_PLATFORMS='$(abs_top_srcdir)/platforms' MPICC='$(MPICC)' \
		bash $(top_srcdir)/traces/regenerate.sh $(TRACES)
.PHONY: regenerate-traces
