/* memory_write.c - writes what busy cores get into a model file. */
#include "config.h"

#include "memory.h"
#include "model_text.h"

#include <math.h>

/* The columns of the model. Level 0 is memory. */
static const struct column {
    const char *name;
    tlp_loop loop;
    unsigned level;
} columns[] = {{"arithmetic", TLP_ARITHMETIC, 0},
               {"L1", TLP_TRIAD, 1},
               {"L2", TLP_TRIAD, 2},
               {"L3", TLP_TRIAD, 3},
               {"memory", TLP_TRIAD, 0}};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* How much faster so many cores are than one; 0: not measured. More than one times each is noise.
 */
static double speedup(const tlp_memory_result *r, const struct column *c, unsigned cores)
{
    const size_t bytes = c->loop == TLP_TRIAD ? tlp_level_bytes(r, c->level) : 0;
    if (c->loop == TLP_TRIAD && !bytes)
        return 0;
    const double of_all = tlp_memory_median(r, c->loop, cores, bytes, r->is_busy),
                 of_one = tlp_memory_median(r, c->loop, 1, bytes, r->is_busy);
    return of_all > 0 && of_one > 0 ? fmin(of_all / of_one, cores) : 0;
}

/* Seconds of start and end, without those of a region with one thread; 0: not measured. */
static double region_s(const tlp_memory_result *r, tlp_loop loop, unsigned threads)
{
    const double of_all = tlp_memory_median(r, loop, threads, 0, 1),
                 of_one = tlp_memory_median(r, loop, 1, 0, 1);
    return of_all > of_one && of_one > 0 ? of_all - of_one : 0;
}

static bool is_complete(const tlp_memory_result *r, const struct column *c, const unsigned *counts,
                        unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!(speedup(r, c, counts[i]) > 0))
            return 0;
    return 1;
}

/* The line in the head of the model, which the other commands that change the model keep. */
static void write_origin(const void *what, FILE *out)
{
    const tlp_memory_result *r = what;
    fprintf(
        out,
        "'timeless calibrate memory' %s on %s at %s, %u cores, memory nodes %s, seed %lu; "
        "medians, %zu repetitions in random order in all. During it, other programs took %.1f%% of "
        "the time of all cores, other machines %.1f%%%s.\n",
        tl_version(), r->processor, *r->moment ? r->moment : "an unknown moment", r->n_cores,
        r->nodes, r->seed, r->n, 100 * r->other, 100 * r->stolen,
        r->is_busy ? ": the machine was busy, so these numbers are rough" : "");
}

/* What the members of the group are. */
static void write_comments(const tlp_memory_result *r, FILE *out)
{
    fprintf(out,
            "# bound: assumed; --set region.bound=L1, ... replays with another limit.\n"
            "# region_s: an empty parallel region of %s minus that of one thread; shared_region_s: "
            "the same of two\n# threads on one core that sleep while they wait.\n"
            "# arithmetic: eight chains of multiplications and additions in registers.\n",
            *r->runtime ? r->runtime : "no runtime of OpenMP");
    for (int i = 1; i < N_COLUMNS; i++)
        if (tlp_level_bytes(r, columns[i].level))
            fprintf(out, "# %s: triad a = b + s c (STREAM), working set of each core %zu bytes.\n",
                    columns[i].name, tlp_level_bytes(r, columns[i].level));
        else
            fprintf(out, "# %s: not measured; no working set fits it and no other cache.\n",
                    columns[i].name);
    fprintf(out, "# bytes_per_s: the triad, all cores together; latency_s: loads in a ring of "
                 "cache lines in random order.\n");
}

static void write_rows(const tlp_memory_result *r, const unsigned *counts, unsigned n, FILE *out)
{
    fputs("  cores = (\n", out);
    for (unsigned i = 0; i < n; i++) {
        fprintf(out, "    { cores = %u; region_s = %.4e;", counts[i],
                region_s(r, TLP_REGION, counts[i]));
        for (int c = 0; c < N_COLUMNS; c++)
            if (is_complete(r, &columns[c], counts, n))
                fprintf(out, " %s = %.4f;", columns[c].name, speedup(r, &columns[c], counts[i]));
        fprintf(out, " }%s\n", i + 1 < n ? "," : "");
    }
    fputs("  );\n", out);
}

static void write_curves(const tlp_memory_result *r, const unsigned *counts, unsigned n, FILE *out)
{
    const char *comma = "";
    fputs("  curves = (", out);
    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < TLP_MAX_SIZES; s++) {
            const size_t bytes = (size_t)TLP_LEAST_BYTES << s;
            const double bandwidth = tlp_memory_median(r, TLP_TRIAD, counts[i], bytes, r->is_busy),
                         latency_s = tlp_memory_median(r, TLP_CHASE, counts[i], bytes, r->is_busy);
            if (bandwidth < 0 || latency_s < 0)
                continue;
            fprintf(out,
                    "%s\n    { cores = %u; bytes = %.1f; bytes_per_s = %.4e; latency_s = %.4e; }",
                    comma, counts[i], (double)bytes, bandwidth, latency_s);
            comma = ",";
        }
    fputs("\n  );\n", out);
}

static void write_group(const config_t *config, const void *what, FILE *out)
{
    const tlp_memory_result *r = what;
    (void)config;
    unsigned counts[TLP_MAX_CORE_COUNTS];
    const unsigned n = tlp_core_counts(r->n_cores, counts);
    fputs("\n", out);
    write_comments(r, out);
    if (r->is_busy)
        fputs("# The machine was busy: these numbers are rough.\n", out);
    fputs("parallel = {\n"
          "  bound = \"arithmetic\";\n",
          out);
    fprintf(out, "  shared_region_s = %.4e;\n", region_s(r, TLP_SHARED_REGION, 2));
    write_rows(r, counts, n, out);
    fprintf(out, "  # Sizes of caches: from %s.\n  caches = (", r->caches_from);
    for (size_t i = 0; i < r->n_caches; i++)
        fprintf(out, "%s\n    { cache = \"L%u\"; bytes = %.1f; cores = %u; }", i ? "," : "",
                r->caches[i].level, (double)r->caches[i].bytes, r->caches[i].cores);
    fputs("\n  );\n", out);
    write_curves(r, counts, n, out);
    fputs("};\n", out);
}

tl_status tlp_memory_write(const tlp_memory_result *result, const char *base, const char *path,
                           tl_error *err)
{
    const tlp_model_change group = {.what = result,
                                    .origin = TLP_PARALLEL_ORIGIN,
                                    .write_origin = write_origin,
                                    .left_out = "parallel",
                                    .write_tail = write_group};
    return tlp_model_write(&group, base, path, err);
}

void tlp_memory_report(const tlp_memory_result *r, FILE *out)
{
    fprintf(out, "timeless: %u cores relative to one:", r->n_cores);
    for (int c = 0; c < N_COLUMNS; c++) {
        const double times = speedup(r, &columns[c], r->n_cores);
        if (times > 0)
            fprintf(out, "%s %s %.2f", c ? "," : "", columns[c].name, times);
    }
    if (*r->runtime)
        fprintf(out, "; a parallel region starts and ends in %.3g us",
                1e6 * region_s(r, TLP_REGION, r->n_cores));
    else
        fputs("; no runtime of OpenMP was found (--runtime), so regions start and end in no time",
              out);
    fprintf(out, "%s\n", r->is_busy ? "; the machine was busy, so these numbers are rough" : "");
}
