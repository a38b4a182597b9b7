# libtimeless: the trace file.  libc (with its libm), zstd and (inlined) xxhash only.
# What writes a trace; the tracer carries this alone into every rank.
TIMELESS_CORE = \
	compress/core/append.c compress/core/append.h compress/core/block.c compress/core/block.h compress/core/bytes.c \
	compress/core/bytes.h compress/core/room.h compress/core/codec.h compress/core/codec_memory.c compress/core/codec_put.c \
	compress/core/codec_value.h compress/core/definitions.c compress/core/definitions.h \
	compress/core/error.c compress/core/error.h compress/core/format.h compress/core/frame.c compress/core/frame.h \
	compress/core/map.c compress/core/map.h compress/core/open.c compress/core/open.h \
	compress/core/row_parameters.h compress/core/run.c compress/core/run.h compress/core/schema.c compress/core/secret.c \
	compress/core/status.c compress/core/watch.c compress/core/watch.h compress/core/writer.c compress/core/writer.h
TIMELESS_SOURCES = \
	compress/actions.def compress/actions.h compress/parallel.h compress/balance.c compress/balance.h compress/codec_get.c \
	compress/clock.h compress/sampled.h compress/cursor.c compress/cut.c compress/draw.h compress/index.c compress/index.h compress/join.c \
	compress/kernel_groups.h compress/kernels.def compress/mpi_calls.def compress/open_read.c compress/owned.c \
	compress/owned.h compress/pack.c compress/pack_sites.c compress/pack_sites.h compress/past.c compress/past.h \
	compress/payload.c compress/quantity.c compress/quantise.c compress/quantise.h compress/reader.c compress/reader.h \
	compress/replace.c compress/requests.c compress/requests.h compress/safe_text.c \
	compress/scan.c compress/scan.h compress/sections.c compress/site_text.c compress/statistical.c compress/statistical.h \
	compress/statistical_pace.c compress/statistical_plan.c compress/terms.def compress/temporary.c compress/text.c \
	compress/text.h compress/uncounted.c compress/text_parse.c compress/text_read.c compress/text_write.c \
	compress/timeless.h compress/timeless_convert.h compress/timeless_files.h compress/timeless_source.h \
	compress/exchange/dumpi.h compress/exchange/dumpi_calls.def compress/exchange/dumpi_comms.c \
	compress/exchange/dumpi_convert.h compress/exchange/dumpi_events.c compress/exchange/dumpi_read.c \
	compress/exchange/dumpi_requests.c compress/exchange/dumpi_sizes.c compress/exchange/export.c \
	compress/exchange/export.h compress/exchange/export_comms.c compress/exchange/export_goal.c \
	compress/exchange/export_simgrid.c compress/exchange/goal.c compress/exchange/goal.h compress/exchange/goal_binary.c \
	compress/exchange/goal_text.c compress/exchange/import.c compress/exchange/import.h \
	compress/exchange/import_allprof.c compress/exchange/import_dumpi.c \
	compress/exchange/import_goal.c compress/exchange/import_simgrid.c compress/exchange/refusals.h \
	compress/exchange/simgrid_files.c compress/extrapolate/extrapolate.c \
	compress/extrapolate/extrapolate.h compress/extrapolate/extrapolate_check.c compress/extrapolate/extrapolate_comms.c \
	compress/extrapolate/extrapolate_find.c compress/extrapolate/extrapolate_grid.c \
	compress/extrapolate/extrapolate_merge.c compress/extrapolate/extrapolate_volumes.c \
	compress/extrapolate/extrapolate_walk.c compress/fit/fit.c compress/fit/fit.h compress/fit/fit_attribute.c \
	compress/fit/fit_candidates.c compress/fit/fit_canonical.c compress/fit/fit_combine.c \
	compress/fit/fit_comms.c compress/fit/fit_condition.c compress/fit/fit_draw.c compress/fit/fit_draw_check.c compress/fit/fit_draw_sizes.c compress/fit/fit_ends.c \
	compress/fit/fit_evaluate.c compress/fit/fit_explain.c compress/fit/fit_holes.c compress/fit/fit_iterations.c compress/fit/fit_load.c compress/fit/fit_loops.c compress/fit/fit_nest.c \
	compress/fit/fit_owners.c compress/fit/fit_verify.c compress/fit/fit_volume.c compress/fit/fit_waits.c compress/fit/fit_wide.c \
	compress/programs/hpl.c compress/programs/hpl.h compress/programs/hpl_bcast.c compress/programs/hpl_dat.c \
	compress/programs/hpl_emit.c compress/programs/hpl_options.c compress/programs/hpl_panel.c \
	compress/programs/hpl_pivots.c compress/programs/hpl_solve.c compress/programs/hpl_spread.c \
	compress/programs/hpl_swap.c compress/programs/hpl_update.c \
	compress/programs/program.c compress/programs/program.h compress/programs/schedule.c compress/programs/schedule.h \
	compress/programs/schedule_flow.c compress/programs/schedule_read.c compress/programs/schedule_walk.c \
	compress/programs/skeleton.c compress/programs/skeleton.h compress/programs/skeleton_calls.c \
	compress/programs/skeleton_comm.c compress/programs/skeleton_copy.c compress/programs/skeleton_draw.c compress/programs/skeleton_evaluate.c \
	compress/programs/skeleton_expression.c compress/programs/skeleton_lex.c compress/programs/skeleton_read.c \
	compress/programs/skeleton_walk.c

# The patterns of timeless make: name, first comment and text of each skeleton.
compress/programs/patterns.inc: $(SKELETONS)
	@$(MKDIR_P) compress/programs
	$(AM_V_GEN)$(AWK) 'FNR == 1 { if (NR > 1) print "},"; n = split(FILENAME, part, "/"); name = part[n]; sub(/\.skel$$/, "", name) } \
		FNR == 2 { print "{\"" name "\", \"" substr($$0, 3) "\", \"skeleton 1\\n\"" } \
		FNR > 1 { gsub(/["\\]/, "\\\\&"); print "\"" $$0 "\\n\"" } END { print "}," }' $^ >$@.tmp && mv $@.tmp $@
BUILT_SOURCES += compress/programs/patterns.inc
CLEANFILES += compress/programs/patterns.inc

lib_LTLIBRARIES += compress/libtimeless.la
compress_libtimeless_la_SOURCES = $(TIMELESS_CORE) $(TIMELESS_SOURCES)
compress_libtimeless_la_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) $(ZSTD_CFLAGS)
# What is called within the library is not looked up: no program may put a function in its place.
compress_libtimeless_la_CFLAGS = $(AM_CFLAGS) -fno-semantic-interposition
compress_libtimeless_la_LIBADD = $(ZSTD_LIBS) -lm
# -version-info CURRENT:REVISION:AGE.  At a release: what stands in timeless.map or timeless.h is unchanged,
# REVISION + 1; functions or calls were added, CURRENT + 1, REVISION 0, AGE + 1; anything in timeless.h was
# removed or changed (structures too), CURRENT + 1, REVISION 0, AGE 0.
compress_libtimeless_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-Wl,-Bsymbolic-functions -Wl,--version-script=$(srcdir)/compress/timeless.map
EXTRA_compress_libtimeless_la_DEPENDENCIES = compress/timeless.map
EXTRA_DIST += compress/timeless.map

# The same with every symbol hidden (compile with -DTL_HIDDEN): the core for the tracer, all for the unit tests,
# which look inside.
noinst_LTLIBRARIES += compress/libtimeless-core.la compress/libtimeless-inner.la
compress_libtimeless_core_la_SOURCES = $(TIMELESS_CORE)
compress_libtimeless_core_la_CPPFLAGS = $(compress_libtimeless_la_CPPFLAGS) -DTL_HIDDEN
compress_libtimeless_core_la_LIBADD = $(ZSTD_LIBS) -lm
compress_libtimeless_inner_la_SOURCES = $(TIMELESS_SOURCES)
compress_libtimeless_inner_la_CPPFLAGS = $(compress_libtimeless_core_la_CPPFLAGS)
compress_libtimeless_inner_la_LIBADD = compress/libtimeless-core.la

# The import of OTF2 archives, which the command links: the library does not depend on OTF2.  Four files of the library are
# compiled again, because it exports no functions of theirs.
if OTF2
noinst_LTLIBRARIES += compress/libtimeless-otf2.la
compress_libtimeless_otf2_la_SOURCES = \
	compress/exchange/import_otf2.c compress/exchange/import_otf2.h compress/exchange/otf2_calls.c \
	compress/exchange/otf2_read.h compress/exchange/otf2_operations.def compress/exchange/otf2_sizes.c \
	compress/core/bytes.c compress/core/error.c compress/core/map.c compress/exchange/import.c
compress_libtimeless_otf2_la_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS)
compress_libtimeless_otf2_la_LIBADD = $(OTF2_LIBS)
endif

timelessincludedir = $(includedir)/timeless
timelessinclude_HEADERS = compress/timeless.h compress/timeless_convert.h compress/timeless_files.h compress/timeless_source.h compress/mpi_calls.def compress/kernels.def
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = compress/timeless.pc
