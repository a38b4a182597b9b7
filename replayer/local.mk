# libreplayer: compute model, platform folder, engines, predictions, comparison.
LOGGOPS_SOURCES = \
	replayer/loggops/blocks.c replayer/loggops/comm.c \
	replayer/loggops/demand.c replayer/loggops/demand.h replayer/loggops/links.c replayer/loggops/links.h replayer/loggops/engine.c replayer/loggops/folder.c replayer/loggops/folder.h replayer/loggops/goal.c replayer/loggops/goal.h replayer/loggops/goal_load.c replayer/loggops/loggops.h replayer/loggops/nodes.c replayer/loggops/nodes.h replayer/loggops/ompi_algorithms.def replayer/loggops/params.c \
	replayer/loggops/access.c replayer/loggops/fiber.c replayer/loggops/file.c replayer/loggops/one_sided.c replayer/loggops/interfere.c replayer/loggops/labels.c replayer/loggops/operations.c replayer/loggops/order.c replayer/loggops/pool.c replayer/loggops/program.c replayer/loggops/program.h \
	replayer/loggops/queue.c replayer/loggops/rank.c replayer/loggops/reading.h replayer/loggops/retransmit.c replayer/loggops/record.c replayer/loggops/sharing.c replayer/loggops/recorder.h \
	replayer/loggops/select.c replayer/loggops/share.c replayer/loggops/simulate.c \
	replayer/loggops/simulate.h replayer/loggops/made.c replayer/loggops/messages.c replayer/loggops/messages.h replayer/loggops/stream.c replayer/loggops/stretch.c replayer/loggops/team.c replayer/loggops/thread.c replayer/loggops/transfer.c replayer/loggops/wheel.c replayer/loggops/ways.c replayer/loggops/ways.h
# What every engine uses.
noinst_LTLIBRARIES += replayer/libengine.la
replayer_libengine_la_SOURCES = \
	compress/core/map.c replayer/collectives/algorithms.def replayer/collectives/collective.c replayer/collectives/collective.h replayer/collectives/hosts.c replayer/collectives/in_order.c replayer/collectives/long.c \
	replayer/collectives/halving.c replayer/collectives/segments.c replayer/collectives/message.h replayer/collectives/tree.c replayer/collectives/tree.h \
	replayer/crash.c replayer/crash.h replayer/diagnosis.c replayer/diagnosis.h replayer/event_streams.c replayer/event_streams.h replayer/exchange.c replayer/exchange.h \
	replayer/open_receives.c replayer/open_receives.h replayer/ompi.c replayer/ompi.h replayer/ompi_rules.def replayer/plan.c replayer/plan.h replayer/plan_collectives.c replayer/plan_comms.c replayer/plan_kernels.c \
	replayer/plan_share.c replayer/replayer.h replayer/request_slots.c replayer/request_slots.h replayer/sandbox.c \
	replayer/sandbox.h replayer/event_steps.c replayer/event_steps.h replayer/text_file.c replayer/text_file.h replayer/validate.c replayer/validate.h \
	replayer/machine/burst_class.c replayer/machine/cluster.h replayer/machine/platform_xml.c replayer/machine/platform_xml.h replayer/machine/routes.c replayer/machine/topologies.c replayer/machine/zones.c replayer/machine/zones.h replayer/machine/zones_load.c replayer/machine/zones_read.c replayer/machine/zones_reading.h replayer/machine/duration.c replayer/machine/duration.h \
	replayer/machine/mapping.c replayer/machine/mapping.h replayer/machine/model.c replayer/installed.c replayer/installed.h replayer/machine/network_noise.c replayer/machine/network_noise.h replayer/machine/noise.c replayer/machine/noise.h replayer/machine/parallel.c replayer/machine/random.c replayer/machine/interference.c \
	replayer/machine/rank_model.c replayer/machine/rank_model.h replayer/machine/simgrid_options.c replayer/machine/simgrid_options.h replayer/machine/simgrid_options.def replayer/machine/roofline.c replayer/machine/segments.c replayer/machine/segments.h replayer/machine/what_if.c \
	replayer/results/marks.c replayer/results/marks.h replayer/results/timeline.c \
	replayer/results/timeline.h replayer/results/chosen.c replayer/results/chosen.h replayer/results/halves.c replayer/results/halves.h \
	replayer/results/phases.c replayer/results/phases.h replayer/results/state_of_event.c replayer/results/state_of_event.h replayer/results/waits.c \
	replayer/results/usage.c replayer/results/usage.h
replayer_libengine_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(JANSSON_CFLAGS) $(GSL_CFLAGS) $(EXPAT_CFLAGS) $(XXHASH_CFLAGS) \
	-DBINDIR='"$(bindir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DPKGLIBEXECDIR='"$(pkglibexecdir)"' \
	-DPKGDATADIR='"$(pkgdatadir)"'
replayer_libengine_la_LIBADD = compress/libtimeless.la $(JANSSON_LIBS) $(GSL_LIBS) $(EXPAT_LIBS) -lm

noinst_LTLIBRARIES += replayer/libreplayer.la
replayer_libreplayer_la_SOURCES = \
	replayer/module.c replayer/module.h replayer/replay.c replayer/scenario.c replayer/scenario.h replayer/schedules.c replayer/schedules.h replayer/seeds.c replayer/seeds.h \
	replayer/sample/fit.c replayer/sample/fit.h replayer/sample/sample.c replayer/sample/sample.h \
	replayer/sample/steps.c replayer/sample/steps.h replayer/sample/trace_steps.c replayer/sample/window.c \
	replayer/sample/window.h \
	replayer/machine/model_read.c replayer/machine/network_noise_read.c replayer/machine/parallel_read.c replayer/machine/platform.c replayer/machine/setting.c replayer/machine/interference_read.c \
	replayer/machine/setting.h \
	replayer/results/call_path.c replayer/results/call_path.h replayer/results/samples.c replayer/results/samples.h replayer/results/critical_path.c replayer/results/critical_path.h replayer/results/details.c \
	replayer/results/details.h replayer/results/details_json.c replayer/results/details_json.h replayer/results/efficiency.c replayer/results/efficiency.h \
	replayer/results/call_times.c replayer/results/call_times.h replayer/results/details_print.c replayer/results/parallel_regions.c replayer/results/parallel_regions.h replayer/results/prediction.c replayer/results/prediction_json.c \
	replayer/results/flame.c replayer/results/flame.h replayer/results/looks.def replayer/results/json_text.c replayer/results/json_text.h \
	replayer/results/prediction_json.h replayer/results/spread.c \
	replayer/results/spread.h replayer/results/sums.c \
	replayer/results/sums.h replayer/results/volumes.c replayer/results/volumes.h replayer/results/timeline_picture.c replayer/results/timeline_write.c replayer/results/paraver.c replayer/results/paraver.h \
	replayer/report/report.c replayer/report/report.h replayer/report/states.c replayer/report/states.h \
	replayer/study/budget.c replayer/study/budget.h replayer/study/extrapolation.c replayer/study/extrapolation.h replayer/study/compare.c replayer/study/compare.h replayer/study/compare_programs.c replayer/study/compare_programs.h \
	replayer/study/compare_write.c replayer/study/region_test.c replayer/study/runs.c \
	replayer/study/collectives.c replayer/study/collectives.h replayer/study/collectives_plot.c replayer/study/amplify.c replayer/study/amplify.h replayer/study/scaling.c replayer/study/scaling.h replayer/study/scaling_plot.c \
	replayer/study/runs.h replayer/study/sweep.c replayer/study/sweep.h replayer/study/sweep_file.c replayer/study/sweep_results.c replayer/study/sweep_table.c replayer/study/sweep_table.h \
	replayer/study/batch.c replayer/study/batch.h replayer/study/scenario_key.c replayer/study/sweep_plot.c \
	replayer/study/tolerance.c replayer/study/tolerance.h \
	replayer/study/versus.c replayer/study/versus.h replayer/study/versus_match.c replayer/study/versus_write.c \
	$(LOGGOPS_SOURCES)
replayer_libreplayer_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer -I$(top_srcdir)/plots $(LIBCONFIG_CFLAGS) \
	$(JANSSON_CFLAGS) $(GSL_CFLAGS) $(OTF2_CFLAGS) $(XXHASH_CFLAGS)
replayer_libreplayer_la_LIBADD = replayer/libengine.la plots/libplots.la replayer/libreport.la compress/libtimeless.la $(LIBCONFIG_LIBS) \
	$(JANSSON_LIBS) $(GSL_LIBS) $(OTF2_LIBS) -lm -lpthread
if OTF2
replayer_libreplayer_la_SOURCES += \
	replayer/results/otf2.h replayer/results/otf2_archive.c replayer/results/otf2_events.c
endif
# The parts of the report's page and its plotting library become a part of the program.
noinst_LTLIBRARIES += replayer/libreport.la
REPORT_PARTS = \
	replayer/report/common.js replayer/report/flame.html replayer/report/flame.js \
	replayer/report/head.html replayer/report/report.html replayer/report/report.js \
	replayer/report/style.css replayer/report/timeline.js replayer/report/versus.html \
	replayer/report/versus.js
replayer_libreport_la_SOURCES = replayer/report/page.c replayer/report/page.h
replayer_libreport_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer -DREPORT_FOLDER='"$(abs_top_srcdir)/replayer/report"' \
	-DCHART_JS='"$(CHART_JS)"'
$(replayer_libreport_la_OBJECTS): $(REPORT_PARTS)
EXTRA_DIST += $(REPORT_PARTS)

# The SMPI engine, a module: only who replays with it loads SimGrid (replayer/module.c).
pkglib_LTLIBRARIES += replayer/libtimeless-smpi.la
replayer_libtimeless_smpi_la_SOURCES = \
	replayer/module.h \
	replayer/smpi/algorithms.c replayer/smpi/algorithms.def replayer/smpi/algorithms.h \
	replayer/smpi/buffers.c replayer/smpi/clocks.c replayer/smpi/collective.c replayer/smpi/comm.c \
	replayer/smpi/cores.c replayer/smpi/engine.c replayer/smpi/hash.c replayer/smpi/hash.h \
	replayer/smpi/exchange.c replayer/smpi/file.c \
	replayer/smpi/hosts.c replayer/smpi/interfere.c replayer/smpi/ompi.c \
	replayer/smpi/p2p.c replayer/smpi/payload.c replayer/smpi/rank.c \
	replayer/smpi/calls.h replayer/smpi/hosts.h replayer/smpi/notes.h replayer/smpi/state.h replayer/smpi/thread.c replayer/smpi/timeline.c replayer/smpi/usage.c \
	replayer/smpi/waits.c replayer/smpi/window.c \
	replayer/smpi/shims/buffer.c replayer/smpi/shims/contents.c replayer/smpi/shims/copies.c \
	replayer/smpi/shims/detached.c replayer/smpi/shims/links.c \
	replayer/smpi/shims/limiter.c replayer/smpi/shims/loopback.c replayer/smpi/shims/mailbox.c replayer/smpi/shims/meet.c replayer/smpi/shims/memory.c replayer/smpi/shims/noise.c replayer/smpi/shims/numbers.c \
	replayer/smpi/shims/order.c replayer/smpi/shims/overheads.c replayer/smpi/shims/receive.c replayer/smpi/shims/routes.c \
	replayer/smpi/shims/shims.h replayer/smpi/shims/shortcuts.c replayer/smpi/shims/table.c \
	replayer/smpi/shims/table.h replayer/smpi/shims/waitall.c replayer/smpi/shims/algorithms.c replayer/smpi/shims/where.c replayer/smpi/shims/windows.c
replayer_libtimeless_smpi_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/replayer $(JANSSON_CFLAGS) $(SIMGRID_CFLAGS)
replayer_libtimeless_smpi_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -no-undefined -Wl,-z,defs
replayer_libtimeless_smpi_la_LIBADD = replayer/libengine.la compress/libtimeless.la $(SIMGRID_LIBS)
