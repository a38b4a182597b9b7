# timeless: one binary, one file per subcommand, no logic of its own.
bin_PROGRAMS += cli/timeless
cli_timeless_SOURCES = \
	cli/calibrate.c cli/calibrate/cpu.c cli/calibrate/kernels.c cli/calibrate/memory.c cli/calibrate/campaign.c cli/calibrate/campaign.h cli/calibrate/hosts.c cli/calibrate/hosts.h cli/calibrate/network.c cli/budget.c cli/budget/extrapolation.c cli/budget/inputs.c cli/budget/inputs.h cli/budget/recordings.c cli/calibrate/noise.c cli/cli.c cli/cli.h cli/commands.def cli/compare.c cli/cut.c cli/dump.c \
	cli/export.c cli/extrapolate.c cli/fit.c cli/import.c cli/info.c cli/join.c cli/launch.c cli/launch.h cli/main.c cli/measure.c cli/measure/measure.h cli/measure/algorithms.def cli/measure/campaign.c cli/measure/plot.c cli/measure/predicted.c cli/measure/results.c cli/make.c cli/pack.c cli/perform.c \
	cli/platform.c cli/record.c cli/replay.c cli/replay.h cli/replay_run.c cli/replay_warn.c cli/report.c  cli/hpl.c cli/sweep.c \
	cli/grid.c cli/grid.h cli/progress.c cli/progress.h cli/study.c cli/study/study.h cli/study/collectives.c cli/study/noise.c cli/study/scaling.c cli/targets.c \
	cli/tolerance.c cli/undump.c \
	cli/record/emulator.c cli/record/emulator.h cli/record/ends.c cli/record/folded.c cli/record/launcher.c cli/record/pack.c cli/record/parts.c \
	cli/record/record.h cli/record/repeat.c cli/record/run.c cli/record/skip.c cli/record/summary.c
cli_timeless_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/cli -I$(top_srcdir)/perform -I$(top_srcdir)/replayer -I$(top_srcdir)/platforms -I$(top_srcdir)/symbols -I$(top_srcdir)/plots $(JANSSON_CFLAGS)
# An installed tree may be moved: its program finds its library relative to itself.
cli_timeless_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN'/`realpath -ms --relative-to='$(bindir)' '$(libdir)'`
cli_timeless_LDADD = perform/libperform.la replayer/libreplayer.la symbols/libsymbols.la plots/libplots.la platforms/libcalibrate.la platforms/libmemory.la platforms/libcpu.la platforms/libnetwork.la platforms/libmeasured.la platforms/libgenerate.la compress/libtimeless.la $(JANSSON_LIBS)
if OTF2
cli_timeless_LDADD += compress/libtimeless-otf2.la
endif
# So does that of the build, when tests start it without the script that libtool puts in front, which takes longer than most runs.
all-local: cli/timeless$(EXEEXT)
	@folder=`realpath -ms --relative-to='$(bindir)' '$(libdir)'` && folder=`realpath -ms "cli/.libs/$$folder"` && \
		$(MKDIR_P) "`dirname "$$folder"`" && ln -sfn '$(abs_builddir)/compress/.libs' "$$folder"
clean-local:
	rm -rf cli/lib tests/quick-starts tests/quick-starts.*
.PHONY: all-local clean-local

# What shells read to complete commands and options: the same file for both.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
nodist_bashcompletion_DATA = cli/completion/timeless
nodist_zshcompletion_DATA = cli/completion/_timeless
EXTRA_DIST += cli/completion/timeless.bash
CLEANFILES += cli/completion/timeless cli/completion/_timeless
cli/completion/timeless cli/completion/_timeless: cli/completion/timeless.bash
	$(AM_V_GEN)$(MKDIR_P) cli/completion && cp $(srcdir)/cli/completion/timeless.bash $@
