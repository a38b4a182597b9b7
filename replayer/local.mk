# libreplayer: compute model, platform folder, engines, predictions, comparison.
LOGGOPS_SOURCES = replayer/engine_loggops.c replayer/loggops.h replayer/loggops_algorithms.def \
	replayer/loggops_collective.c replayer/loggops_collective_long.c replayer/loggops_collective_tree.c replayer/loggops_comm.c \
	replayer/loggops_ompi_rules.def replayer/loggops_select.c replayer/loggops_step.h \
	replayer/loggops_blocks.c replayer/loggops_program.c replayer/loggops_program.h replayer/loggops_reading.h replayer/loggops_pool.c replayer/loggops_queue.c replayer/loggops_rank.c \
	replayer/loggops_share.c replayer/loggops_simulate.c replayer/loggops_simulate.h \
	replayer/loggops_team.c replayer/loggops_wheel.c
# What every engine uses.
noinst_LTLIBRARIES += replayer/libengine.la
replayer_libengine_la_SOURCES = replayer/replayer.h replayer/burst_class.c replayer/diagnosis.c replayer/diagnosis.h \
	replayer/draw.c replayer/event_streams.c replayer/event_streams.h replayer/loggops_noise.c replayer/loggops_noise.h replayer/loggops_params.c replayer/mapping.c replayer/mapping.h \
	replayer/marks.c replayer/marks.h replayer/model.c replayer/plan.c replayer/plan.h replayer/plan_collectives.c \
	replayer/plan_comms.c replayer/plan_share.c replayer/rank_model.c replayer/rank_model.h replayer/sandbox.c \
	replayer/sandbox.h replayer/text_file.c replayer/text_file.h replayer/timeline.c replayer/timeline.h \
	replayer/usage.c replayer/usage.h replayer/what_if.c
replayer_libengine_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(JANSSON_CFLAGS) $(GSL_CFLAGS)
replayer_libengine_la_LIBADD = compress/libtimeless.la $(JANSSON_LIBS) $(GSL_LIBS) -lm

noinst_LTLIBRARIES += replayer/libreplayer.la
replayer_libreplayer_la_SOURCES = \
	replayer/compare.c replayer/compare.h replayer/compare_plot.c replayer/compare_write.c \
	replayer/region_test.c replayer/runs.c replayer/runs.h replayer/module.c replayer/module.h \
	replayer/model_read.c replayer/seeds.c replayer/seeds.h replayer/setting.c replayer/setting.h replayer/platform.c \
	replayer/prediction.c replayer/prediction_json.c replayer/prediction_json.h replayer/replay.c replayer/report.c \
	replayer/critical_path.c replayer/critical_path.h replayer/sums.c replayer/sums.h \
	replayer/details.c replayer/details.h replayer/details_json.c replayer/details_json.h replayer/details_print.c \
	replayer/timeline_write.c \
	replayer/sweep.c replayer/sweep.h replayer/sweep_file.c replayer/sweep_key.c replayer/sweep_plot.c replayer/sweep_run.c replayer/tolerance.c replayer/tolerance.h \
	$(LOGGOPS_SOURCES)
replayer_libreplayer_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(LIBCONFIG_CFLAGS) \
	$(JANSSON_CFLAGS) $(GSL_CFLAGS) $(OTF2_CFLAGS) $(XXHASH_CFLAGS) \
	-DPKGLIBDIR='"$(pkglibdir)"' -DPLATFORMS_FOLDER='"$(pkgdatadir)/platforms"'
replayer_libreplayer_la_LIBADD = replayer/libengine.la replayer/libreport.la compress/libtimeless.la $(LIBCONFIG_LIBS) \
	$(JANSSON_LIBS) $(GSL_LIBS) $(OTF2_LIBS) -lm -lpthread
if OTF2
replayer_libreplayer_la_SOURCES += replayer/otf2.h replayer/otf2_archive.c replayer/otf2_events.c
endif
# The report's page and its plotting library become a part of the program.
noinst_LTLIBRARIES += replayer/libreport.la
replayer_libreport_la_SOURCES = replayer/report_page.c replayer/report_page.h
replayer_libreport_la_CPPFLAGS = $(AM_CPPFLAGS) -DREPORT_HTML='"$(abs_top_srcdir)/replayer/report.html"' \
	-DCHART_JS='"$(CHART_JS)"'
$(replayer_libreport_la_OBJECTS): replayer/report.html
EXTRA_DIST += replayer/report.html

# The SMPI engine, a module: only who replays with it loads SimGrid (replayer/module.c).
pkglib_LTLIBRARIES += replayer/libtimeless-smpi.la
replayer_libtimeless_smpi_la_SOURCES = replayer/engine_smpi.c replayer/module.h replayer/smpi_rank.h \
	replayer/smpi_buffer.c replayer/smpi_clocks.c replayer/smpi_collective.c replayer/smpi_comm.c replayer/smpi_detached.c \
	replayer/smpi_exchange.c replayer/smpi_file.c replayer/smpi_halves.c replayer/smpi_halves.h replayer/smpi_hosts.c \
	replayer/smpi_match.c replayer/smpi_memory.c replayer/smpi_memory.h replayer/smpi_needs.c replayer/smpi_numbers.c \
	replayer/smpi_ompi.c replayer/smpi_ompi_bcast.def replayer/smpi_order.c replayer/smpi_overheads.c replayer/smpi_p2p.c replayer/smpi_poll.c replayer/smpi_rank.c replayer/smpi_routes.c \
	replayer/smpi_shortcuts.c replayer/smpi_thread.c replayer/smpi_timeline.c replayer/smpi_usage.c replayer/smpi_waits.c replayer/smpi_window.c
replayer_libtimeless_smpi_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(JANSSON_CFLAGS) $(SIMGRID_CFLAGS)
replayer_libtimeless_smpi_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -no-undefined -Wl,-z,defs
replayer_libtimeless_smpi_la_LIBADD = replayer/libengine.la compress/libtimeless.la $(SIMGRID_LIBS)
