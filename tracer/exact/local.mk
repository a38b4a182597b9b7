# What counts instructions exactly: a plugin that QEMU loads, and a tool linked with Valgrind's static
# libraries.  Both run inside an emulator, so never with sanitizers.
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

if VALGRIND_TOOL
pkglibexec_PROGRAMS += tracer/timeless-valgrind
tracer_timeless_valgrind_SOURCES = \
	tracer/exact/valgrind_tool.c tracer/exact/exact.h tracer/exact/string_instruction.h \
	tracer/exact/valgrind_request.h
# The position-dependent code of Valgrind's libraries lies where no program does.
tracer_timeless_valgrind_CPPFLAGS = -isystem $(VALGRIND_INCLUDES) -DVGA_$(VALGRIND_ARCH)=1 -DVGO_linux=1 \
	-DVGP_$(VALGRIND_ARCH)_linux=1 -DVGPV_$(VALGRIND_ARCH)_linux_vanilla=1
tracer_timeless_valgrind_CFLAGS = $(WARN) -fno-builtin -fno-pic -fno-pie -fno-stack-protector -fno-strict-aliasing
tracer_timeless_valgrind_LINK = $(CC) -static -no-pie -nodefaultlibs -nostartfiles -u _start \
	-Wl,--build-id=none -Wl,-Ttext-segment=$(VALGRIND_ADDRESS) -o $@
tracer_timeless_valgrind_LDADD = \
	$(VALGRIND_LIBRARIES)/libcoregrind-$(VALGRIND_ARCH)-linux.a \
	$(VALGRIND_LIBRARIES)/libvex-$(VALGRIND_ARCH)-linux.a \
	$(VALGRIND_LIBRARIES)/libgcc-sup-$(VALGRIND_ARCH)-linux.a -lgcc
# CFLAGS come last, and those of distributions ask for a stack protector, which reads what only a C library sets up.
$(tracer_timeless_valgrind_OBJECTS): override CFLAGS += -fno-stack-protector
endif
