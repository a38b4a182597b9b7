/* cpu.h - rates of bursts by their call sites. They come from two traces of one program: one has
 * the times of its bursts, the other one counts them.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_CPU_H
#define TLP_CPU_H

#include <timeless.h>

/* The entries of an archive that contain the traces. */
#define TLP_RAW_TIMED "raw/timed.tl"
#define TLP_RAW_COUNTED "raw/counted.tl"

/* Bursts between two call sites ("hpcc+0x1234"; "?" before the first call), of all ranks. */
typedef struct tlp_burst_class {
    char *from, *to;
    double seconds, volume;
} tlp_burst_class;

typedef struct tlp_burst_rates {
    char *unit; /* of the counted trace */
    size_t n;   /* classes that both traces have, ordered by name */
    tlp_burst_class *classes;
    double seconds, volume; /* of all bursts, also those that only one trace has */
    double matched_s;       /* the part of `seconds` in classes */
    char *program, *source; /* of the counted trace: its command and how it counts */
    uint32_t n_ranks;
} tlp_burst_rates;

/* `timed` is in cpu-ns, `counted` in another unit; both are of the same number of ranks. */
tl_status tlp_burst_rates_make(tl_reader *timed, tl_reader *counted, tlp_burst_rates **out,
                               tl_error *err);
void tlp_burst_rates_free(tlp_burst_rates *rates);

/* Writes the model file `base` with these rates to `path`, which may be the same. */
tl_status tlp_burst_rates_write(const tlp_burst_rates *rates, const char *base, const char *path,
                                tl_error *err);

#endif
