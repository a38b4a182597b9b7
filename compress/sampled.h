/* sampled.h - counters that have samples of the stack (timeless record --sample-stacks): how their
 * names are written and read. */
#ifndef TL_SAMPLED_H
#define TL_SAMPLED_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name is "timeless:samples FROM TO AT", and the value a number of samples. */
#define TL_SAMPLED_NAME "timeless:samples "
enum { TL_SAMPLED_FIRST = 1 << 20 }; /* their lowest id */
enum { TL_SAMPLED_SIZE = sizeof TL_SAMPLED_NAME + 3 * 11 };

/* Ids of call sites of the rank: samples at `at`, in the computation between the calls at `from`
 * and `to`. 0: unknown. */
typedef struct tl_sampled {
    uint32_t from, to, at;
} tl_sampled;

static inline void tl_sampled_write(tl_sampled s, char name[TL_SAMPLED_SIZE])
{
    snprintf(name, TL_SAMPLED_SIZE, TL_SAMPLED_NAME "%" PRIu32 " %" PRIu32 " %" PRIu32, s.from,
             s.to, s.at);
}

/* False: it is another counter. */
static inline bool tl_sampled_read(const char *name, tl_sampled *out)
{
    uint32_t *const ids[] = {&out->from, &out->to, &out->at};
    if (strncmp(name, TL_SAMPLED_NAME, strlen(TL_SAMPLED_NAME)) != 0)
        return false;
    const char *at = name + strlen(TL_SAMPLED_NAME);
    for (int i = 0; i < 3; i++) {
        char *end;
        const unsigned long id = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || id > UINT32_MAX || *end != (i < 2 ? ' ' : '\0'))
            return false;
        *ids[i] = (uint32_t)id;
        at = end + 1;
    }
    return true;
}

#endif
