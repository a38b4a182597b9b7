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

/* The classes of one trace, ordered by name, without seconds. */
typedef struct tlp_bursts {
    size_t n, room;
    tlp_burst_class *classes;
} tlp_bursts;

/* tl_site_text or tl_site_name */
typedef void tlp_site_namer(const tl_reader *trace, uint32_t rank, uint32_t site, char *text,
                            size_t size);
/* Also to be freed if the reading fails. */
tl_status tlp_bursts_read(tl_reader *trace, tlp_site_namer *name, tlp_bursts *out, tl_error *err);
void tlp_bursts_free(tlp_bursts *b);
int tlp_compare_bursts(const void *a, const void *b);

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

/* ---- several recordings of one program: cpu_spread.c ---- */

/* A class of bursts, or all of them together. */
typedef struct tlp_spread_class {
    char *from, *to;    /* NULL: of all bursts */
    double share;       /* of the volume of all bursts */
    double uncertainty; /* half of the 90 % interval of another run, divided by the mean */
} tlp_spread_class;

typedef struct tlp_spread {
    size_t n_runs;
    size_t middle; /* the recording whose volume is the median */
    size_t other; /* the first recording with other numbers of events than the first one; 0: none */
    double common; /* the part of the volume in classes that all recordings have */
    tlp_spread_class all;
    size_t n;
    tlp_spread_class *classes; /* by share * uncertainty, the largest first */
} tlp_spread;

/* By how much the bursts of two recordings or more differ. TL_ERR_INPUT: they are not of the same
 * command, number of ranks and unit. */
tl_status tlp_spread_make(tl_reader *const *traces, size_t n, tlp_spread **out, tl_error *err);
void tlp_spread_free(tlp_spread *spread);

#endif
