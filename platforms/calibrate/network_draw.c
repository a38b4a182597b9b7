/* network_draw.c - random numbers of the measuring program, and the sizes of its messages. */
#include "network_draw.h"

#include <math.h>
#include <stdlib.h>

/* With given sizes: so many of the messages have one of them, up to this factor more or less. The
 * others show the thresholds, for which each segment needs its share. */
#define GIVEN_SHARE 0.5
#define GIVEN_NEAR 1.25
enum { MAX_SIZES = 64 };

static uint64_t state;
static int n_sizes; /* 0: any */
static int64_t sizes[MAX_SIZES];

void tlp_draw_begin(uint64_t seed)
{
    state = seed;
}

/* SplitMix64: the same numbers on every machine. */
uint64_t tlp_draw(void)
{
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double tlp_draw_uniform(void)
{
    return (double)(tlp_draw() >> 11) / 9007199254740992.0;
}

void tlp_draw_take_sizes(const char *text)
{
    char *rest = NULL;
    for (; *text && n_sizes < MAX_SIZES; text = *rest == ',' ? rest + 1 : rest) {
        const int64_t size = strtoll(text, &rest, 10);
        if (rest == text)
            break;
        sizes[n_sizes++] = size;
    }
}

int64_t tlp_draw_bytes(int64_t max_bytes)
{
    if (!n_sizes || tlp_draw_uniform() >= GIVEN_SHARE)
        return (int64_t)pow(10, tlp_draw_uniform() * log10((double)max_bytes + 1));
    const double given = (double)sizes[tlp_draw() % (unsigned)n_sizes];
    const double bytes = given * pow(GIVEN_NEAR, 2 * tlp_draw_uniform() - 1);
    return bytes > (double)max_bytes ? max_bytes : (int64_t)fmax(1, bytes);
}
