# traces: small samples, what made them, and how to make them again (traces/README.md).
SAMPLE_TRACES = traces/hpl-4.tl traces/stencil-64.tl traces/wavefront-16.tl traces/irregular-16.tl \
	traces/hybrid-4.tl
nobase_dist_pkgdata_DATA += $(SAMPLE_TRACES) traces/README.md
EXTRA_DIST += traces/stencil.c traces/wavefront.c traces/irregular.c traces/hybrid.c traces/regenerate.sh

regenerate-traces: all
	PATH='$(abs_top_builddir)/cli':"$$PATH" TIMELESS_PLATFORMS='$(abs_top_srcdir)/platforms' MPICC='$(MPICC)' \
		bash $(top_srcdir)/traces/regenerate.sh $(TRACES)
.PHONY: regenerate-traces
