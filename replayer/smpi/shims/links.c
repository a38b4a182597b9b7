/* links.c - the traffic on the links at each step of simulated time.
 *
 * SimGrid 3.32's plugin for the load of links reads a link when one of its own flows begins or
 * ends, and uses this rate for the whole time before. But the rate of a flow also changes with
 * flows on other links. Here the links are therefore read at each step of the clock, with the rates
 * that were valid until then. The function below replaces a function of libsimgrid, and calls it.
 */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <string.h>

#include <simgrid/host.h>
#include <simgrid/version.h>
#if SIMGRID_VERSION_MAJOR == 3
#include <xbt/dynar.h>
#endif

void (*smpi_clock_watcher)(double took_s);

/* libstdc++'s layout of a std::string of up to 15 characters. */
typedef struct short_string {
    const char *text;
    size_t length;
    char held[16];
} short_string;

const char *link_property(const_sg_link_t link, const short_string *key)
    SMPI_THEIRS(SG_LINK_PROPERTY);

const char *smpi_link_property(const_sg_link_t link, const char *name)
{
    const short_string key = {.text = name, .length = strlen(name)};
    return link_property(link, &key);
}

const_sg_link_t *smpi_route_links(const_sg_host_t from, const_sg_host_t to, size_t *n)
{
    const_sg_link_t *links;
#if SIMGRID_VERSION_MAJOR > 3
    int n_links = 0;
    links = sg_host_get_route_links(from, to, &n_links);
    *n = (size_t)n_links;
#else
    xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, route);
    *n = xbt_dynar_length(route);
    links = smpi_alloc(*n, sizeof *links);
    for (size_t i = 0; i < *n; i++)
        xbt_dynar_get_cpy(route, i, &links[i]);
    xbt_dynar_free(&route);
#endif
    return links;
}

/* Advances simulated time to the next event. */
double advance_time(const void *engine, double until_s) SMPI_REPLACES(SG_ADVANCE);

double advance_time(const void *engine, double until_s)
{
    static double (*theirs)(const void *, double);
    SMPI_BEHIND(theirs, SG_ADVANCE);
    const double took_s = theirs(engine, until_s);
    if (smpi_clock_watcher && took_s > 0)
        smpi_clock_watcher(took_s);
    return took_s;
}
