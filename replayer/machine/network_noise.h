/* network_noise.h - the noise of messages: each takes its time in the network times a factor.
 *
 * The time in the network is latency and bytes; overheads of sends and receives are not part of it.
 * The factors were measured by 'timeless calibrate network', which writes them to noise.conf of a
 * platform folder (timeless-platform(5)). Their mean is 1.
 *
 * A factor is a function of the seed, the sending rank and the number of the message among those of
 * this rank: it does not depend on the order in which an engine handles messages. */
#ifndef TLR_NETWORK_NOISE_H
#define TLR_NETWORK_NOISE_H

#include "replayer.h"

/* Messages within a host have classes of their own. */
enum { TLR_BETWEEN_HOSTS, TLR_WITHIN_HOST, TLR_N_PATHS };

/* Messages of more than so many bytes, up to those of the next class. */
typedef struct tlr_noise_class {
    double above_bytes;
    double least;  /* no factor is smaller; from 0.01 to 1 */
    double run_sd; /* of the factor that all of these messages of a run have in common */
    size_t n_modes;
    tlr_mode modes[TLR_MAX_MODES]; /* the weights have the sum 1 */
} tlr_noise_class;

/* The messages of one path. */
typedef struct tlr_noise_path {
    double run_sd; /* the same for messages without classes, and where a class states none */
    size_t n;      /* 0: nothing was measured, the factors are 1 */
    tlr_noise_class *classes; /* ascending; the first one is above 0 bytes */
} tlr_noise_path;

struct tlr_network_noise {
    tlr_noise_path paths[TLR_N_PATHS];
};

/* The seeds of one replay, and what is drawn once for all of its messages. */
typedef struct tlr_message_noise {
    const tlr_network_noise *noise; /* NULL: all factors are 1 */
    uint64_t seed;
    uint32_t part; /* tlr_options.part */
    /* How many deviations the factors of the run are from 1, by path: from -3 to 3. */
    double run_deviations[TLR_N_PATHS];
} tlr_message_noise;

/* network_noise_read.c: reads noise.conf. Errors name the file and the line. */
tl_status tlr_network_noise_load(const char *path, tlr_network_noise **out, tl_error *err);
void tlr_network_noise_free(tlr_network_noise *noise);

/* Draws the factors of the run. Without options->network_noise there is no noise. */
tlr_message_noise tlr_message_noise_begin(const tlr_platform *platform, const tlr_options *options);
/* The factor of the message with this number among those that a rank of a job sends. */
double tlr_message_factor(const tlr_message_noise *m, uint32_t job, uint32_t rank, uint64_t number,
                          int path, double bytes);
/* No message has a smaller factor; 1 without noise. */
double tlr_message_least_factor(const tlr_message_noise *m);

#endif
