/* links.c - what is on the links whenever simulated time advances.
 *
 * SimGrid 3.32's plugin for the load of links looks at a link when one of its own flows begins or
 * ends, and takes what it finds for the whole time before; but a flow's rate also changes with
 * flows on other links.  So the links are read at each step of the clock, with what was in use
 * until then.  The function below takes the place of libsimgrid's, and calls it. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>
#include <string.h>

static void (*tell)(double took_s);

double smpi_link_use(const_sg_link_t link)
{
    static double (*use_of)(const_sg_link_t);
    if (!use_of)
        *(void **)&use_of = dlsym(RTLD_DEFAULT, SG_LINK_USE);
    return use_of(link);
}

/* As libstdc++ lays out a std::string of up to 15 characters. */
typedef struct short_string {
    const char *text;
    size_t length;
    char held[16];
} short_string;

const char *smpi_link_property(const_sg_link_t link, const char *name)
{
    static const char *(*property_of)(const_sg_link_t, const short_string *);
    if (!property_of)
        *(void **)&property_of = dlsym(RTLD_DEFAULT, SG_LINK_PROPERTY);
    const short_string key = {.text = name, .length = strlen(name)};
    return property_of(link, &key);
}

void smpi_watch_clock(void (*advanced)(double took_s))
{
    tell = advanced;
}

/* Lets simulated time advance to the next event. */
double advance_time(const void *engine, double until_s) SMPI_REPLACES(SG_ADVANCE);

double advance_time(const void *engine, double until_s)
{
    static double (*theirs)(const void *, double);
    SMPI_BEHIND(theirs, SG_ADVANCE);
    const double took_s = theirs(engine, until_s);
    if (tell && took_s > 0)
        tell(took_s);
    return took_s;
}
