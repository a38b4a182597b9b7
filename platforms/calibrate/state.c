/* state.c - clock, temperature and power beside a measurement. */
#include "config.h"

#include "calibrate.h"

#include "clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

enum { MOST_ZONES = 8 };

/* The number in a file of the system; -1: there is none. */
static double read_number(const char *format, int number)
{
    char path[128], value[TLP_VALUE_BYTES];
    snprintf(path, sizeof path, format, number);
    return tlp_read_value(path, value) ? strtod(value, NULL) : -1;
}

static double sum_energy_j(void)
{
    double sum = 0, microjoules;
    for (int i = 0; i < MOST_ZONES; i++)
        if ((microjoules = read_number("/sys/class/powercap/intel-rapl:%d/energy_uj", i)) > 0)
            sum += 1e-6 * microjoules;
    return sum;
}

tlp_state tlp_read_state(double *energy_j, double *energy_s)
{
    tlp_state state = {0};
    const int cpu = sched_getcpu();
    const double now_s = tl_now_s(CLOCK_MONOTONIC), joules = sum_energy_j();
    state.clock_Hz =
        fmax(0, 1e3 * read_number("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu));
    for (int i = 0; i < MOST_ZONES; i++)
        state.celsius =
            fmax(state.celsius, 1e-3 * read_number("/sys/class/thermal/thermal_zone%d/temp", i));
    /* The counter begins anew now and then. */
    if (*energy_j > 0 && joules > *energy_j)
        state.watts = (joules - *energy_j) / (now_s - *energy_s);
    *energy_j = joules;
    *energy_s = now_s;
    return state;
}
