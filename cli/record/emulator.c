/* emulator.c - runs the recorded processes in an emulator that counts instructions. */
#include "config.h"

#include "emulator.h"

#include "installed.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* A processor that QEMU emulates completely. The C library then uses the same routines everywhere.
 */
#define QEMU_X86_CPU "Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid"

static bool find_in_path(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");
    while (list && *list) {
        size_t n = strcspn(list, ":");
        if (snprintf(path, size, "%.*s/%s", (int)n, list, name) < (int)size &&
            access(path, X_OK) == 0)
            return true;
        list += n + (list[n] == ':');
    }
    return false;
}

/* In the tracer's folder; in the folder above it, as in a build tree; or installed. */
static bool find_beside(const char *tracer, const char *name, tlr_place installed, char *path,
                        size_t size)
{
    static const char *const places[] = {".", ".."};
    const char *slash = strrchr(tracer, '/');
    int n = slash ? (int)(slash - tracer) : 0;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++)
        if (snprintf(path, size, "%.*s/%s/%s", n, tracer, places[i], name) < (int)size &&
            access(path, R_OK) == 0)
            return true;
    return tlr_installed(installed, name, NULL, path, size) != 0;
}

/* A QEMU that is linked statically, such as Debian 13's, has no plugins; another one may have an
 * interface that the plugin was not built for. Both refuse the option. */
static bool takes_plugin(const cli_emulator *e)
{
    char option[] = "-plugin", program[] = "/bin/true";
    char *command[] = {(char *)e->program, option, (char *)e->plugin, program, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool taken = posix_spawn(&child, e->program, &actions, NULL, command, environ) == 0 &&
                       waitpid(child, &status, 0) == child && status == 0;
    posix_spawn_file_actions_destroy(&actions);
    return taken;
}

static const char *find(const char *tracer, cli_emulator *e)
{
    struct utsname machine;
    char name[sizeof machine.machine + 8];
    if (uname(&machine) != 0)
        return "the system does not report its processor";
    snprintf(name, sizeof name, "qemu-%s", machine.machine);
    if (!find_in_path(name, e->program, sizeof e->program))
        return "QEMU's user mode is not installed (Debian package qemu-user)";
    if (!find_beside(tracer, "timeless-qemu-run", TLR_PLACE_PROGRAMS, e->starter,
                     sizeof e->starter) ||
        !find_beside(tracer, "timeless-qemu.so", TLR_PLACE_LIBRARIES, e->plugin, sizeof e->plugin))
        return "timeless-qemu.so or timeless-qemu-run is not in the folder of the tracer";
    if (!takes_plugin(e))
        return "this QEMU does not take plugins, or not this one (that of Debian 13 takes none)";
    e->words[0] = e->starter;
    e->words[1] = e->program;
    return strchr(e->starter, ' ')
               ? "Open MPI cannot start it from a folder with a blank in its name"
               : NULL;
}

const char *emulator_find(const char *volume, const char *tracer, cli_emulator *out)
{
    if (strcmp(volume, "exact") != 0 && strcmp(volume, EMULATOR_VOLUME) != 0)
        return "is not an emulator; give " EMULATOR_VOLUME;
    memset(out, 0, sizeof *out);
    return find(tracer, out);
}

void emulator_prepare(const cli_emulator *e)
{
    setenv("QEMU_PLUGIN", e->plugin, 1);
#ifdef __x86_64__
    setenv("QEMU_CPU", QEMU_X86_CPU, 0);
#endif
}

const char *emulator_prepare_launch(const cli_emulator *e)
{
    char agent[2 * sizeof e->program + 256];
    if (getenv("OMPI_MCA_orte_fork_agent"))
        return "OMPI_MCA_orte_fork_agent is set; unset it, because the emulator needs it";
    if (getenv("PRTE_MCA_odls_base_exec_agent"))
        return "PRTE_MCA_odls_base_exec_agent is set; unset it, because the emulator needs it";
    snprintf(agent, sizeof agent, "%s", e->words[0]);
    for (int i = 1; e->words[i]; i++) {
        size_t n = strlen(agent);
        snprintf(agent + n, sizeof agent - n, " %s", e->words[i]);
    }
    setenv("OMPI_MCA_orte_fork_agent", agent, 1);
    setenv("PRTE_MCA_odls_base_exec_agent", agent, 1); /* Open MPI 5 */
    /* QEMU does not have the system calls by which ranks read each other's memory. */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    setenv("OMPI_MCA_smsc", "^cma,knem,xpmem", 0);
    /* Spinning would count as instructions. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    return NULL;
}
