# platforms: programs that measure a machine, and the shipped descriptions.
noinst_LTLIBRARIES += platforms/libcalibrate.la
platforms_libcalibrate_la_SOURCES = \
	platforms/calibrate.h \
	platforms/blas.c platforms/calibrate.c platforms/counter.c platforms/fit.c platforms/folder.c \
	platforms/measure.c platforms/model_file.c platforms/plan.c
platforms_libcalibrate_la_CPPFLAGS = $(AM_CPPFLAGS) $(GSL_CFLAGS)
platforms_libcalibrate_la_LIBADD = compress/libtimeless.la $(GSL_LIBS) -ldl -lm

nobase_dist_pkgdata_DATA += platforms/local/platform.xml platforms/local/options.conf \
	platforms/local/model.conf platforms/local/README.md \
	platforms/star-1g/platform.xml platforms/star-1g/options.conf platforms/star-1g/README.md \
	platforms/star-1g/model.conf \
	platforms/fat-tree/platform.xml platforms/fat-tree/options.conf platforms/fat-tree/README.md \
	platforms/fat-tree/model.conf
