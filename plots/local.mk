# plots: static pictures, drawn by gnuplot.
noinst_LTLIBRARIES += plots/libplots.la
plots_libplots_la_SOURCES = plots/gnuplot.c plots/plot.c plots/plot.h plots/script.h
plots_libplots_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/plots
plots_libplots_la_LIBADD = compress/libtimeless.la -lm
