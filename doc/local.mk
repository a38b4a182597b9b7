# doc: the format, the architecture, man pages.
# make help-rooms [ROOM=FOLDER...]: what each source file is for, which is the first sentence of its first comment.
ROOM = compress symbols plots tracer replayer platforms perform cli
help-rooms:
	@cd $(srcdir) && find $(ROOM) -name '*.[ch]' -printf '%h/ %f\n' | LC_ALL=C sort | tr -d ' ' | xargs awk ' \
	  FNR == 1 { folder = FILENAME; sub("[^/]*$$", "", folder); text = ""; is_said = 0; \
	             if (folder != last) print "\n" folder; last = folder } \
	  !is_said { line = $$0; is_said = sub(/ *\*\/.*/, "", line); sub(/^(\/\*| \*) ?/, "", line); text = text " " line; \
	             if (line == "" || sub(/\.( .*)?$$/, "", text)) is_said = 1; if (is_said) print " " text }'
.PHONY: help-rooms
EXTRA_DIST += doc/ARCHITECTURE.md doc/first-light.sh
# The pictures of README.md, the tour, the limits, the tutorials and the studies.
EXTRA_DIST += doc/pictures/make.sh doc/pictures/timeline.svg
picturesdir = $(docdir)/pictures
dist_pictures_DATA = doc/pictures/alltoall.svg doc/pictures/errors.svg doc/pictures/latency.svg doc/pictures/noise.svg doc/pictures/ranks.svg doc/pictures/sweep.svg
dist_man1_MANS += doc/timeless.1 doc/timeless-record.1 doc/timeless-replay.1
dist_man1_MANS += doc/timeless-study.1 doc/timeless-sweep.1 doc/timeless-budget.1 doc/timeless-tolerance.1 doc/timeless-perform.1 doc/timeless-measure.1
dist_man3_MANS += doc/timeless_kernel.3 doc/timeless.h.3
# What man pages and headers name is installed.
dist_doc_DATA = doc/CLUSTERS.md doc/EXTRAPOLATION.md doc/FORMAT.md doc/HPL.md doc/LIMITS.md doc/SAMPLING.md doc/SCHEDULE.md doc/SHARING.md doc/SKELETON.md doc/TOUR.md doc/LAB-ANSWERS.md doc/example-trace.c
# A class copies this folder; the answers are not in it.
labdir = $(docdir)/lab
dist_lab_DATA = doc/lab/SHEET.md doc/lab/broadcast.c doc/lab/ring.c doc/lab/stencil.c
dist_man5_MANS += doc/timeless-model.5 doc/timeless-platform.5
dist_man1_MANS += doc/timeless-calibrate.1 doc/timeless-calibrate-cpu.1 doc/timeless-calibrate-noise.1 doc/timeless-calibrate-kernels.1 doc/timeless-calibrate-memory.1 doc/timeless-calibrate-network.1 doc/timeless-report.1 doc/timeless-compare.1
dist_man1_MANS += doc/timeless-info.1 doc/timeless-dump.1 doc/timeless-undump.1 doc/timeless-export.1 doc/timeless-import.1 doc/timeless-cut.1 doc/timeless-make.1 doc/timeless-hpl.1 doc/timeless-extrapolate.1 doc/timeless-fit.1 doc/timeless-platform.1 doc/timeless-pack.1 doc/timeless-join.1
# The tutorials use the traces and platforms of a checkout, or links to those of an installation.
tutorialsdir = $(docdir)/tutorials
dist_tutorials_DATA = doc/tutorials/README.md doc/tutorials/buying.md doc/tutorials/ci.md doc/tutorials/cluster.xml \
    doc/tutorials/collectives.md doc/tutorials/fft.skel doc/tutorials/ghz.conf doc/tutorials/hosts doc/tutorials/measuring.md doc/tutorials/noise.md \
    doc/tutorials/offer-a.conf doc/tutorials/offer-b.conf doc/tutorials/performance.md doc/tutorials/simgrid.md \
    doc/tutorials/steps.skel
# What the source papers did, a page for each question.
studiesdir = $(docdir)/studies
dist_studies_DATA = doc/studies/README.md doc/studies/switches.md doc/studies/alltoall.md doc/studies/noise.md \
    doc/studies/allreduce.skel doc/studies/dissemination.skel doc/studies/halo.skel doc/studies/wavefront.skel \
    doc/studies/incast.md doc/studies/loops-of-collectives.md doc/studies/order-of-measurements.md \
    doc/studies/cg.skel doc/studies/collective-loop.awk doc/studies/collective-loop.skel doc/studies/drift.awk
# The gate that a tutorial uses.
cidir = $(docdir)/ci
dist_ci_DATA = doc/ci/README.md doc/ci/gate.sh doc/ci/github.yml doc/ci/gitlab.yml doc/ci/instructions.conf
