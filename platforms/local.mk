# platforms: programs that measure a machine, and the shipped descriptions.
noinst_LTLIBRARIES += platforms/libarchiving.la
platforms_libarchiving_la_SOURCES = \
	platforms/calibrate/archive.c platforms/calibrate/archive.h platforms/calibrate/fingerprint.c \
	platforms/calibrate/environment.c platforms/calibrate/machine.c platforms/calibrate/machine.h platforms/calibrate/raw.c platforms/calibrate/raw.h \
	platforms/calibrate/repetitions.c platforms/calibrate/repetitions.h
platforms_libarchiving_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms -I$(top_srcdir)/plots $(GSL_CFLAGS)
platforms_libarchiving_la_LIBADD = plots/libplots.la compress/libtimeless.la $(GSL_LIBS) -ldl -lm

noinst_LTLIBRARIES += platforms/libcalibrate.la
platforms_libcalibrate_la_SOURCES = \
	platforms/calibrate/blas.c platforms/calibrate/calibrate.c platforms/calibrate/calibrate.h \
	platforms/calibrate/counter.c platforms/calibrate/fit.c \
	platforms/calibrate/fit_model.c platforms/calibrate/fit_noise.c platforms/calibrate/folder.c \
	platforms/calibrate/history.c platforms/calibrate/hosts.c platforms/calibrate/kernels_page.c platforms/calibrate/measure.c platforms/calibrate/model_file.c platforms/calibrate/model_merge.c platforms/calibrate/needs.c \
	platforms/calibrate/noise.c platforms/calibrate/noise.h platforms/calibrate/plan.c \
	platforms/calibrate/raw_file.c
platforms_libcalibrate_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms -I$(top_srcdir)/perform -I$(top_srcdir)/plots $(GSL_CFLAGS) $(LIBCONFIG_CFLAGS)
platforms_libcalibrate_la_LIBADD = perform/libkernels.la platforms/libcpu.la platforms/libgenerate.la platforms/libarchiving.la compress/libtimeless.la $(GSL_LIBS) -ldl -lm

noinst_LTLIBRARIES += platforms/libcpu.la
platforms_libcpu_la_SOURCES = \
	platforms/calibrate/cpu.c platforms/calibrate/cpu.h platforms/calibrate/cpu_spread.c \
	platforms/calibrate/cpu_write.c platforms/calibrate/model_text.c platforms/calibrate/model_text.h
platforms_libcpu_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(GSL_CFLAGS) $(LIBCONFIG_CFLAGS)
platforms_libcpu_la_LIBADD = platforms/libarchiving.la compress/libtimeless.la $(GSL_LIBS) $(LIBCONFIG_LIBS) -lm

noinst_LTLIBRARIES += platforms/libmemory.la
platforms_libmemory_la_SOURCES = \
	platforms/calibrate/memory.h platforms/calibrate/memory_fit.c platforms/calibrate/memory_loops.c platforms/calibrate/memory_loops.h platforms/calibrate/memory_machine.c \
	platforms/calibrate/memory_measure.c platforms/calibrate/memory_regions.c platforms/calibrate/memory_write.c
platforms_libmemory_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(GSL_CFLAGS) $(LIBCONFIG_CFLAGS)
platforms_libmemory_la_LIBADD = platforms/libcpu.la platforms/libarchiving.la compress/libtimeless.la $(GSL_LIBS) $(LIBCONFIG_LIBS) -ldl

noinst_LTLIBRARIES += platforms/libgenerate.la
platforms_libgenerate_la_SOURCES = \
	platforms/generate/generate.c platforms/generate/generate.h platforms/generate/generate_read.c \
	platforms/generate/generate_topology.c
platforms_libgenerate_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(LIBCONFIG_CFLAGS)
platforms_libgenerate_la_LIBADD = compress/libtimeless.la $(LIBCONFIG_LIBS)

# Messages: the program that measures them under mpirun, and the fit, which knows no MPI.
if MPI
pkglibexec_PROGRAMS += platforms/timeless-network-probe
endif
platforms_timeless_network_probe_SOURCES = \
	platforms/calibrate/machine.c platforms/calibrate/machine.h platforms/calibrate/network_draw.c platforms/calibrate/network_draw.h platforms/calibrate/network_hosts.c \
	platforms/calibrate/network_kinds.c platforms/calibrate/network_kinds.h \
	platforms/calibrate/network_probe.c \
	platforms/calibrate/network_probe.h
platforms_timeless_network_probe_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(MPI_CFLAGS)
platforms_timeless_network_probe_LDADD = $(MPI_LIBS) -lm

noinst_LTLIBRARIES += platforms/libnetwork.la
platforms_libnetwork_la_SOURCES = \
	platforms/calibrate/mixture.c platforms/calibrate/network.h platforms/calibrate/network_fit.c platforms/calibrate/network_node.c platforms/calibrate/network_node.h platforms/calibrate/network_sharing.c \
	platforms/calibrate/network_merge.c platforms/calibrate/network_needs.c platforms/calibrate/network_noise.c platforms/calibrate/network_probe.h \
	platforms/calibrate/network_read.c platforms/calibrate/network_repetitions.c \
	platforms/calibrate/network_write.c platforms/calibrate/segments.c platforms/calibrate/segments.h \
	platforms/calibrate/series.c
platforms_libnetwork_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms -I$(top_srcdir)/plots $(GSL_CFLAGS)
platforms_libnetwork_la_LIBADD = platforms/libarchiving.la platforms/libgenerate.la compress/libtimeless.la $(GSL_LIBS) -lm

# The repetitions of an operation (timeless measure).
noinst_LTLIBRARIES += platforms/libmeasured.la
platforms_libmeasured_la_SOURCES = platforms/calibrate/measured.h platforms/calibrate/measured_causes.c platforms/calibrate/measured_inside.c platforms/calibrate/measured_period.c platforms/calibrate/measured_read.c platforms/calibrate/network_draw.c platforms/calibrate/network_draw.h
platforms_libmeasured_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/platforms $(GSL_CFLAGS)
platforms_libmeasured_la_LIBADD = platforms/libarchiving.la compress/libtimeless.la $(GSL_LIBS) -lm

DAHU = \
	platforms/dahu/README.md \
	platforms/dahu/make.py \
	platforms/dahu/platform.xml \
	platforms/dahu/options.conf \
	platforms/dahu/model.conf \
	platforms/dahu/published/dgemm.csv \
	platforms/dahu/published/dgemm_by_k.csv \
	platforms/dahu/published/dgemm_sources.csv \
	platforms/dahu/published/kernels.csv \
	platforms/dahu/published/kernels_noise.csv \
	platforms/dahu/published/network.csv \
	platforms/dahu/published/network_platforms.csv \
	platforms/dahu/calibrations/dgemm-2019-03-28/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-01/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-01-linear/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-03/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-03-hybrid/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-03-hybrid-linear/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-03-linear/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-05/model.conf \
	platforms/dahu/calibrations/dgemm-2019-04-05-linear/model.conf \
	platforms/dahu/calibrations/dgemm-2019-07/model.conf \
	platforms/dahu/calibrations/dgemm-2019-07-linear/model.conf \
	platforms/dahu/calibrations/dgemm-2019-10/model.conf \
	platforms/dahu/calibrations/dgemm-2020-01-14/model.conf \
	platforms/dahu/calibrations/dgemm-2020-02/model.conf \
	platforms/dahu/calibrations/dgemm-2020-07/model.conf \
	platforms/dahu/calibrations/network-2018-10/options.conf \
	platforms/dahu/calibrations/network-2018-10/platform.xml \
	platforms/dahu/calibrations/network-2018-10-first/options.conf \
	platforms/dahu/calibrations/network-2018-10-first/platform.xml \
	platforms/dahu/calibrations/network-2018-10-latency/options.conf \
	platforms/dahu/calibrations/network-2018-10-latency/platform.xml \
	platforms/dahu/calibrations/network-2018-10-old/options.conf \
	platforms/dahu/calibrations/network-2018-10-old/platform.xml \
	platforms/dahu/calibrations/network-2018-10-slow-loopback/options.conf \
	platforms/dahu/calibrations/network-2018-10-slow-loopback/platform.xml \
	platforms/dahu/calibrations/network-2020-08-17/options.conf \
	platforms/dahu/calibrations/network-2020-08-17/platform.xml \
	platforms/dahu/calibrations/network-2020-08-20/options.conf \
	platforms/dahu/calibrations/network-2020-08-20/platform.xml \
	platforms/dahu/calibrations/network-2020-08-20-first/options.conf \
	platforms/dahu/calibrations/network-2020-08-20-first/platform.xml \
	platforms/dahu/calibrations/network-2020-08-remote/options.conf \
	platforms/dahu/calibrations/network-2020-08-remote/platform.xml \
	platforms/dahu/calibrations/network-2020-10-15/options.conf \
	platforms/dahu/calibrations/network-2020-10-15/platform.xml
nobase_dist_pkgdata_DATA += platforms/noise/README.md platforms/noise/altix platforms/noise/chic \
	platforms/noise/jaguar platforms/noise/make.py platforms/noise/zeptoos
nobase_dist_pkgdata_DATA += platforms/local/platform.xml platforms/local/options.conf \
	platforms/local/model.conf platforms/local/README.md \
	platforms/star-1g/platform.xml platforms/star-1g/options.conf platforms/star-1g/README.md \
	platforms/star-1g/model.conf \
	platforms/fat-tree/platform.xml platforms/fat-tree/options.conf platforms/fat-tree/README.md \
	platforms/fat-tree/model.conf platforms/fat-tree/calibrations/top-4/platform.xml \
	platforms/fat-tree/calibrations/top-6/platform.xml platforms/fat-tree/calibrations/top-7/platform.xml \
	platforms/graphene/platform.conf platforms/graphene/platform.xml platforms/graphene/options.conf \
	platforms/graphene/model.conf platforms/graphene/README.md \
	platforms/stampede/platform.conf platforms/stampede/platform.xml platforms/stampede/options.conf \
	platforms/stampede/model.conf platforms/stampede/README.md \
	$(DAHU) \
	platforms/theta/platform.conf platforms/theta/platform.xml platforms/theta/options.conf \
	platforms/theta/model.conf platforms/theta/README.md \
	platforms/tibidabo/platform.conf platforms/tibidabo/platform.xml platforms/tibidabo/options.conf \
	platforms/tibidabo/model.conf platforms/tibidabo/README.md \
	platforms/cloud/platform.conf platforms/cloud/platform.xml platforms/cloud/options.conf \
	platforms/cloud/model.conf platforms/cloud/README.md
