# tests/accuracy: predictions against the clock, and programs as they come from Debian; run by hand,
# since other load on a machine decides.
# Scripts and pages.
EXTRA_DIST += \
	tests/accuracy/README.md tests/accuracy/applications.sh tests/accuracy/budget.sh \
	tests/accuracy/budget_bars.sh tests/accuracy/build_hpl.sh tests/accuracy/call_times.sh tests/accuracy/cluster.sh \
	tests/accuracy/cluster_nodes_short.sh tests/accuracy/cluster_short.sh tests/accuracy/compare_prediction.sh \
	tests/accuracy/dahu.sh tests/accuracy/dahu_clock.py tests/accuracy/dahu_compare.py tests/accuracy/extrapolate.sh tests/accuracy/fit_bars.sh \
	tests/accuracy/fit_budget.sh tests/accuracy/fit_unseen.sh tests/accuracy/hpl_calls.sh \
	tests/accuracy/hpl_compare.py tests/accuracy/hpl_local.sh tests/accuracy/hpl_phases.py tests/accuracy/hpl_phases.sh \
	tests/accuracy/hpl_skipped.py tests/accuracy/hpl_skipped.sh tests/accuracy/hybrid.sh \
	tests/accuracy/judge.py tests/accuracy/naive.py tests/accuracy/naive_sweeps.sh \
	tests/accuracy/noise_judge.py tests/accuracy/noise_short.sh tests/accuracy/osu.sh tests/accuracy/performed.sh tests/accuracy/performed_short.sh \
	tests/accuracy/picture.sh tests/accuracy/planted.sh tests/accuracy/routes.c tests/accuracy/routes.sh tests/accuracy/rows.sh tests/accuracy/sample.sh
# Programs and tables that they need.
EXTRA_DIST += \
	tests/accuracy/blas_threads.c tests/accuracy/call_times.c tests/accuracy/clock.c tests/accuracy/core_distance.c \
	tests/accuracy/dead_stack.c tests/accuracy/hpl_pivots_600.txt tests/accuracy/hybrid_stencil.c \
	tests/accuracy/noise_rows.tsv tests/accuracy/offload.c tests/accuracy/osu_loop.c tests/accuracy/plant.c tests/accuracy/sweep.c \
	tests/accuracy/unstructured.c
# Programs of fit_bars.sh and budget_bars.sh.
EXTRA_DIST += \
	tests/accuracy/bars/bar.h tests/accuracy/bars/bucket.c tests/accuracy/bars/cg.c tests/accuracy/bars/drawn.c \
	tests/accuracy/bars/fft.c tests/accuracy/bars/hpcg.c tests/accuracy/bars/lu.c tests/accuracy/bars/lulesh.c \
	tests/accuracy/bars/multigrid.c tests/accuracy/bars/stencil2d.c tests/accuracy/bars/stencil3d.c
# Programs with the messages of NAS Parallel Benchmarks: fit_bars.sh -p.
EXTRA_DIST += \
	tests/accuracy/npb/bt.c tests/accuracy/npb/cells.h tests/accuracy/npb/cg.c tests/accuracy/npb/ft.c \
	tests/accuracy/npb/is.c tests/accuracy/npb/lu.c tests/accuracy/npb/mg.c tests/accuracy/npb/programs.txt \
	tests/accuracy/npb/sp.c
# Programs of fit_unseen.sh.
EXTRA_DIST += \
	tests/accuracy/unseen/amr.c tests/accuracy/unseen/annulus.c tests/accuracy/unseen/batcher.c \
	tests/accuracy/unseen/bitonic.c tests/accuracy/unseen/cannon.c tests/accuracy/unseen/cg.c \
	tests/accuracy/unseen/channel.c tests/accuracy/unseen/cholesky.c tests/accuracy/unseen/floyd.c \
	tests/accuracy/unseen/gauss.c tests/accuracy/unseen/gram.c tests/accuracy/unseen/heat1d.c \
	tests/accuracy/unseen/hypersort.c tests/accuracy/unseen/jacobi2d.c tests/accuracy/unseen/life.c \
	tests/accuracy/unseen/lublock.c tests/accuracy/unseen/master.c tests/accuracy/unseen/matvec.c \
	tests/accuracy/unseen/nbody.c tests/accuracy/unseen/oddeven.c tests/accuracy/unseen/packed.c \
	tests/accuracy/unseen/pencil.c tests/accuracy/unseen/pi.c tests/accuracy/unseen/plume.c \
	tests/accuracy/unseen/programs.txt tests/accuracy/unseen/qr2d.c tests/accuracy/unseen/redblack.c \
	tests/accuracy/unseen/ringsum.c tests/accuracy/unseen/samplesort.c tests/accuracy/unseen/scan.c \
	tests/accuracy/unseen/strip.c tests/accuracy/unseen/summa.c tests/accuracy/unseen/transpose.c \
	tests/accuracy/unseen/tree.c tests/accuracy/unseen/tube.c tests/accuracy/unseen/vcycle.c \
	tests/accuracy/unseen/wave3d.c tests/accuracy/unseen/wavefront.c
# Whole folders: programs of applications.sh, the last file of each table.
EXTRA_DIST += tests/accuracy/applications tests/accuracy/results
TESTS += tests/accuracy/cluster_short.sh tests/accuracy/cluster_nodes_short.sh tests/accuracy/noise_short.sh tests/accuracy/performed_short.sh
