# What counts instructions exactly: a plugin that QEMU loads.  It runs inside the emulator, so never with sanitizers.
if MPI
pkglib_LTLIBRARIES += tracer/timeless-qemu.la
pkglibexec_SCRIPTS = tracer/timeless-qemu-run
endif
tracer_timeless_qemu_la_SOURCES = \
	tracer/exact/qemu_plugin.c tracer/exact/qemu_api.h tracer/exact/exact.h \
	tracer/exact/string_instruction.h
tracer_timeless_qemu_la_CFLAGS = $(WARN)
tracer_timeless_qemu_la_LDFLAGS = -module -avoid-version -shared

tracer/timeless-qemu-run: $(srcdir)/tracer/exact/qemu_run.sh
	$(AM_V_GEN)$(MKDIR_P) tracer && cp $(srcdir)/tracer/exact/qemu_run.sh $@-t && chmod +x $@-t && mv $@-t $@
EXTRA_DIST += tracer/exact/qemu_run.sh
CLEANFILES += tracer/timeless-qemu-run
