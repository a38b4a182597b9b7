/* machine.c - the machine of a measurement. */
#include "config.h"

#include "machine.h"

#include <stdbool.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CORES_TOLD = 256 };

int tlp_read_value(const char *path, char value[TLP_VALUE_BYTES])
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const bool is_read = fgets(value, TLP_VALUE_BYTES, file) != NULL;
    fclose(file);
    if (is_read)
        value[strcspn(value, "\n")] = '\0';
    return is_read && *value;
}

/* The value of the line that begins with `key`, without its separator and quotes. */
static int read_line_of(const char *path, const char *key, char separator,
                        char value[TLP_VALUE_BYTES])
{
    char line[4096];
    int found = 0;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *at = strchr(line, separator);
        if (strncmp(line, key, strlen(key)) != 0 || !at)
            continue;
        at += 1 + strspn(at + 1, " \t\"");
        snprintf(value, TLP_VALUE_BYTES, "%.*s", (int)strcspn(at, "\"\n"), at);
        found = 1;
    }
    if (file)
        fclose(file);
    return found;
}

static void tell_file(FILE *out, const char *name, const char *path)
{
    char value[TLP_VALUE_BYTES];
    if (tlp_read_value(path, value))
        fprintf(out, "%s: %s\n", name, value);
}

static void tell_line_of(FILE *out, const char *name, const char *path, const char *key,
                         char separator)
{
    char value[TLP_VALUE_BYTES];
    if (read_line_of(path, key, separator, value))
        fprintf(out, "%s: %s\n", name, value);
}

void tlp_cpu_name(char *text, size_t size)
{
    char value[TLP_VALUE_BYTES];
    snprintf(text, size, "%s",
             read_line_of("/proc/cpuinfo", "model name", ':', value) ? value : "unknown processor");
}

void tlp_moment(char text[TLP_MOMENT_BYTES])
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, TLP_MOMENT_BYTES, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

int tlp_read_cache(int processor, int index, tlp_cache_text *out)
{
    static const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    char *const values[] = {out->level, out->type, out->size, out->shared};
    *out = (tlp_cache_text){.level = ""};
    for (int i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", processor,
                 index, names[i]);
        if (!tlp_read_value(path, values[i]) && values[i] != out->shared)
            return 0;
    }
    return 1;
}

static void tell_caches(FILE *out)
{
    tlp_cache_text c;
    for (int i = 0; i < 8 && tlp_read_cache(0, i, &c); i++)
        fprintf(out, "cache: L%s %s, %s, of cores %s\n", c.level, c.type, c.size,
                *c.shared ? c.shared : "?");
}

/* One line for all cores, with several values if they differ. */
static void tell_of_cores(FILE *out, const char *name, const char *file)
{
    char first[TLP_VALUE_BYTES] = "", value[TLP_VALUE_BYTES], path[128];
    int n = 0;
    for (int core = 0; core < MAX_CORES_TOLD; core++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", core, file);
        if (!tlp_read_value(path, value))
            break;
        if (n++ == 0)
            fprintf(out, "%s: %s", name, strcpy(first, value));
        else if (strcmp(first, value) != 0)
            fprintf(out, ", core %d %s", core, value);
    }
    fputs(n ? "\n" : "", out);
    if (!n)
        fprintf(out, "%s: the system does not tell\n", name);
}

/* The values of /proc/cpuinfo, also if there is no cpufreq. */
static void tell_clock_rates(FILE *out)
{
    char line[TLP_VALUE_BYTES];
    int n = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && n < MAX_CORES_TOLD && fgets(line, sizeof line, file)) {
        const char *at = strchr(line, ':');
        if (!strncmp(line, "cpu MHz", 7) && at)
            fprintf(out, "%s%.*s", n++ ? "" : "clock rate, MHz:", (int)strcspn(at + 1, "\n"),
                    at + 1);
    }
    fputs(n ? "\n" : "", out);
    if (file)
        fclose(file);
}

static void tell_cores(FILE *out)
{
    cpu_set_t set;
    fprintf(out, "cores online: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        fprintf(out, "cores of this process: %d\n", CPU_COUNT(&set));
    tell_file(out, "hardware threads share cores", "/sys/devices/system/cpu/smt/active");
    tell_file(out, "memory nodes", "/sys/devices/system/node/online");
    tell_file(out, "limit of the control group", "/sys/fs/cgroup/cpu.max");
}

void tlp_describe_machine(FILE *out)
{
    char name[TLP_VALUE_BYTES];
    struct utsname system;
    if (uname(&system) == 0)
        fprintf(out, "host: %s\nkernel: %s %s %s %s\n", system.nodename, system.sysname,
                system.release, system.version, system.machine);
    tell_line_of(out, "system", "/etc/os-release", "PRETTY_NAME", '=');
    tlp_cpu_name(name, sizeof name);
    fprintf(out, "processor: %s\n", name);
    tell_line_of(out, "microcode", "/proc/cpuinfo", "microcode", ':');
    tell_cores(out);
    tell_caches(out);
    tell_line_of(out, "memory", "/proc/meminfo", "MemTotal", ':');
    tell_line_of(out, "memory available", "/proc/meminfo", "MemAvailable", ':');
    tell_line_of(out, "swap", "/proc/meminfo", "SwapTotal", ':');
    tell_file(out, "hypervisor", "/sys/hypervisor/type");
    tell_file(out, "product", "/sys/class/dmi/id/product_name");
    tell_file(out, "huge pages", "/sys/kernel/mm/transparent_hugepage/enabled");
    tell_file(out, "clock source",
              "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    tell_of_cores(out, "governor", "scaling_governor");
    tell_of_cores(out, "frequency, kHz", "scaling_cur_freq");
    tell_clock_rates(out);
    tell_file(out, "boost", "/sys/devices/system/cpu/cpufreq/boost");
    tell_file(out, "load average", "/proc/loadavg");
    tell_file(out, "uptime, s", "/proc/uptime");
}
