/* memory_machine.c - cores, caches and memory nodes of this machine. */
#include "config.h"

#include "machine.h"
#include "memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* "0-3,8": how many numbers. */
static unsigned count_list(const char *list)
{
    unsigned n = 0;
    for (char *rest = NULL; *list; list = rest + (*rest == ',')) {
        const long first = strtol(list, &rest, 10);
        long last = first;
        if (rest == list)
            break;
        if (*rest == '-')
            last = strtol(rest + 1, &rest, 10);
        n += last >= first ? (unsigned)(last - first + 1) : 0;
    }
    return n;
}

/* Whether two processors are hardware threads of one core. */
static int share_core(int a, int b)
{
    char path[128], threads[2][TLP_VALUE_BYTES];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 k ? b : a);
        if (!tlp_read_value(path, threads[k]))
            return 0;
    }
    return !strcmp(threads[0], threads[1]);
}

unsigned tlp_list_processors(int *processors, unsigned room, unsigned *n_apart)
{
    cpu_set_t allowed;
    unsigned n = 0;
    int shares[CPU_SETSIZE] = {0};
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        for (int other = 0; CPU_ISSET(cpu, &allowed) && other < cpu && !shares[cpu]; other++)
            shares[cpu] = CPU_ISSET(other, &allowed) && share_core(cpu, other);
    for (int is_second = 0; is_second < 2; is_second++) {
        for (int cpu = 0; cpu < CPU_SETSIZE && n < room; cpu++)
            if (CPU_ISSET(cpu, &allowed) && shares[cpu] == is_second)
                processors[n++] = cpu;
        if (!is_second)
            *n_apart = n;
    }
    return n;
}

unsigned tlp_core_counts(unsigned n_cores, unsigned counts[TLP_MAX_CORE_COUNTS])
{
    unsigned n = 0;
    for (unsigned power = 1; power < n_cores && n + 2 < TLP_MAX_CORE_COUNTS; power *= 2) {
        counts[n++] = power;
        if (power > 1 && power / 2 * 3 < n_cores)
            counts[n++] = power / 2 * 3;
    }
    counts[n++] = n_cores;
    return n;
}

static void add_cache(tlp_memory_result *result, unsigned level, size_t bytes, unsigned cores)
{
    if (level < 1 || level > TLP_MAX_CACHES || !bytes || result->n_caches == TLP_MAX_CACHES)
        return;
    result->caches[result->n_caches++] = (tlp_cache){level, bytes, cores ? cores : 1};
}

static void find_in_sys(tlp_memory_result *result)
{
    int processors[1] = {0};
    unsigned n_apart;
    tlp_list_processors(processors, 1, &n_apart);
    tlp_cache_text c;
    for (int i = 0; i < 16 && tlp_read_cache(processors[0], i, &c); i++) {
        char *unit;
        size_t bytes = strtoul(c.size, &unit, 10);
        bytes *= *unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1;
        if (strcmp(c.type, "Instruction") != 0)
            add_cache(result, (unsigned)strtoul(c.level, NULL, 10), bytes, count_list(c.shared));
    }
}

void tlp_find_caches(tlp_memory_result *result)
{
    static const int names[TLP_MAX_CACHES] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                              _SC_LEVEL3_CACHE_SIZE};
    char nodes[TLP_VALUE_BYTES];
    const bool is_known = tlp_read_value("/sys/devices/system/node/online", nodes);
    snprintf(result->nodes, sizeof result->nodes, "%.60s", is_known ? nodes : "?");
    tlp_cpu_name(result->processor, sizeof result->processor);
    snprintf(result->caches_from, sizeof result->caches_from, "/sys");
    find_in_sys(result);
    if (result->n_caches)
        return;
    snprintf(result->caches_from, sizeof result->caches_from, "sysconf");
    for (unsigned i = 0; i < TLP_MAX_CACHES; i++) {
        const long bytes = sysconf(names[i]);
        add_cache(result, i + 1, bytes > 0 ? (size_t)bytes : 0, i == 2 ? result->n_cores : 1);
    }
    if (!result->n_caches)
        snprintf(result->caches_from, sizeof result->caches_from, "nowhere");
}

/* What each core has of a cache if all work. */
static size_t share_of(const tlp_memory_result *result, unsigned level)
{
    for (size_t i = 0; i < result->n_caches; i++) {
        const tlp_cache *cache = &result->caches[i];
        if (cache->level == level)
            return cache->bytes / (cache->cores < result->n_cores ? cache->cores : result->n_cores);
    }
    return 0;
}

size_t tlp_level_bytes(const tlp_memory_result *result, unsigned level)
{
    size_t bytes = TLP_LEAST_BYTES, largest = 0, cache = 0;
    for (size_t i = 0; i < result->n; i++)
        if (result->samples[i].bytes > largest)
            largest = result->samples[i].bytes;
    for (size_t i = 0; i < result->n_caches; i++)
        if (result->caches[i].bytes > cache)
            cache = result->caches[i].bytes;
    if (!level)
        return largest >= 2 * cache ? largest : 0;
    while (bytes <= share_of(result, level) / 4)
        bytes *= 2;
    const int fits = bytes <= share_of(result, level) / 2 && bytes <= largest;
    return fits && (level == 1 || bytes > share_of(result, level - 1)) ? bytes : 0;
}

static double own_s(int who)
{
    struct rusage u;
    return getrusage(who, &u) == 0 ? (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                                         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec)
                                   : 0;
}

void tlp_processors_now(tlp_processor_times *out)
{
    double t[8] = {0};
    char text[512] = "", *rest = text + 4;
    FILE *in = fopen("/proc/stat", "r");
    const bool is_read = in && fgets(text, sizeof text, in) && !strncmp(text, "cpu ", 4);
    for (int i = 0; is_read && i < 8; i++)
        t[i] = strtod(rest, &rest);
    const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    if (in)
        fclose(in);
    out->own_s = own_s(RUSAGE_SELF) + own_s(RUSAGE_CHILDREN);
    out->busy_s = (t[0] + t[1] + t[2] + t[5] + t[6]) * tick_s;
    out->stolen_s = t[7] * tick_s;
    out->all_s = out->busy_s + out->stolen_s + (t[3] + t[4]) * tick_s;
}

void tlp_processors_since(const tlp_processor_times *before, double *other, double *stolen)
{
    tlp_processor_times now;
    tlp_processors_now(&now);
    const double all_s = now.all_s - before->all_s,
                 other_s = now.busy_s - before->busy_s - (now.own_s - before->own_s);
    *other = all_s > 0 && other_s > 0 ? other_s / all_s : 0;
    *stolen = all_s > 0 ? (now.stolen_s - before->stolen_s) / all_s : 0;
}
