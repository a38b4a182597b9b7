/* measured_read.c - reads the file of 'timeless measure'. */
#include "config.h"

#include "measured.h"

#include "core/room.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum { MOST = 1 << 24 };
#define MOST_BYTES 0x1p53

static size_t list_notes(void *all, tlp_note notes[TLP_MOST_NOTES])
{
    tlp_measured *m = all;
    const tlp_note list[] = {{"operation", 's', m->operation, sizeof m->operation},
                             {"seed", 'l', &m->seed, 0},
                             {"moment", 'w', m->moment, sizeof m->moment},
                             {"mpi", 's', m->mpi, sizeof m->mpi},
                             {"ranks", 'u', &m->n_ranks, 0},
                             {"tick_s", 'd', &m->tick_s, 0},
                             {"counters", 's', m->counters, sizeof m->counters},
                             {"inside_hz", 'u', &m->inside_hz, 0}};
    memcpy(notes, list, sizeof list);
    return sizeof list / sizeof *list;
}

/* The index of a name, which is added if it is new; -1: no memory. */
static int index_of(char ***names, size_t *n, const char *name)
{
    for (size_t i = *n; i-- > 0;)
        if (!strcmp((*names)[i], name))
            return (int)i;
    char **more = reallocarray(*names, *n + 1, sizeof *more);
    if (!more)
        return -1;
    *names = more;
    if (!(more[*n] = strdup(name)))
        return -1;
    return (int)(*n)++;
}

static tl_status take_row(void *all, char **cells)
{
    tlp_measured *m = all;
    tlp_measured_row row = {0};
    double launch, bytes, repetition, rank, cpu, cpu_end;
    const struct {
        double least, most, *out;
        int cell, may_lack; /* may_lack: the machine does not tell */
    } numbers[] = {{0, MOST, &launch, 0, 0},
                   {0, MOST_BYTES, &bytes, 2, 0},
                   {0, MOST, &repetition, 3, 0},
                   {0, MOST, &rank, 4, 0},
                   {-1, MOST, &cpu, 6, 0},
                   {-1, MOST, &cpu_end, 7, 0},
                   {0, 1, &row.is_late, 9, 0},
                   {-1e9, 1e12, &row.begin_s, 10, 0},
                   {-1e9, 1e12, &row.end_s, 11, 0},
                   {0, 1e9, &row.uncertainty_s, 12, 0},
                   {0, 1e15, &row.switches, 13, 1},
                   {0, 1e15, &row.faults, 14, 1},
                   {0, 1e9, &row.without_cpu_s, 15, 1},
                   {0, 1e12, &row.clock_hz, 16, 1},
                   {0, 1e18, &row.instructions, 17, 1},
                   {0, 1e18, &row.cycles, 18, 1},
                   {0, 1e6, &row.celsius, 19, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *cell = cells[numbers[i].cell];
        if (!(numbers[i].may_lack && !*cell) &&
            !tlp_cell_number(cell, numbers[i].least, numbers[i].most, numbers[i].out))
            return TL_ERR_INPUT;
    }
    char *rest = cells[20];
    for (int i = 0; i < TLP_MOST_COUNTERS && *rest; i++, rest += *rest == ';')
        if (!isfinite(row.counters[i] = strtod(rest, &rest)))
            return TL_ERR_INPUT;
    if (*rest)
        return TL_ERR_INPUT;
    const int algorithm = index_of(&m->algorithms, &m->n_algorithms, cells[1]);
    const int host = index_of(&m->hosts, &m->n_hosts, cells[5]);
    if (algorithm < 0 || host < 0 || !tl_make_room(&m->rows, m->n_rows, &m->room, sizeof *m->rows))
        return TL_ERR_MEMORY;
    snprintf(m->start, sizeof m->start, "%s", cells[8]);
    row.alone = strcmp(m->start, "calls") != 0 ? 0 : (unsigned)rank;
    row.launch = (unsigned)launch;
    row.algorithm = (unsigned)algorithm;
    row.bytes = (int64_t)bytes;
    row.repetition = (int64_t)repetition;
    row.rank = (unsigned)rank;
    row.host = (unsigned)host;
    row.cpu = (int)cpu;
    row.cpu_end = (int)cpu_end;
    m->rows[m->n_rows++] = row;
    return TL_OK;
}

/* By bytes, algorithm, launch, repetition and rank. */
static int compare_rows(const void *a, const void *b)
{
    const tlp_measured_row *x = a, *y = b;
    const int64_t keys[][2] = {{x->bytes, y->bytes},           {x->algorithm, y->algorithm},
                               {x->launch, y->launch},         {x->alone, y->alone},
                               {x->repetition, y->repetition}, {x->rank, y->rank}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Algorithms by name, and not in the order of the launches. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int sort_algorithms(tlp_measured *m)
{
    char **sorted = malloc((m->n_algorithms + 1) * sizeof *sorted);
    if (!sorted)
        return 0;
    memcpy(sorted, m->algorithms, m->n_algorithms * sizeof *sorted);
    qsort(sorted, m->n_algorithms, sizeof *sorted, compare_names);
    for (size_t i = 0; i < m->n_rows; i++) {
        char **at = bsearch(&m->algorithms[m->rows[i].algorithm], sorted, m->n_algorithms,
                            sizeof *sorted, compare_names);
        m->rows[i].algorithm = (unsigned)(at - sorted);
    }
    free(m->algorithms);
    m->algorithms = sorted;
    return 1;
}

/* Whether the rows are whole repetitions: all ranks in each of them. */
static bool are_whole(const tlp_measured *m)
{
    for (size_t i = 0; i < m->n_rows; i++) {
        const tlp_measured_row *row = &m->rows[i], *first = row - i % m->n_together;
        if (row->rank != (row->alone ? row->alone : i % m->n_together) || row->rank >= m->n_ranks ||
            row->launch != first->launch || row->repetition != first->repetition)
            return 0;
    }
    return m->n_rows % m->n_together == 0;
}

/* Whether a rank could not begin it at the announced time. */
static bool is_late(const tlp_measured *m, size_t repetition)
{
    const tlp_measured_row *rows = &m->rows[repetition * m->n_together];
    bool any = 0;
    for (unsigned r = 0; r < m->n_together; r++)
        any |= rows[r].is_late > 0;
    return any;
}

/* The duration of a repetition; marks the rank that ended last. Ranks without a call do not count.
 * In a loop, the mean of the ranks' own times, as benchmarks print it. */
static double seconds_of(tlp_measured_row *rows, unsigned n, bool is_loop)
{
    double begin_s = -INFINITY, sum_s = 0;
    unsigned last = 0;
    for (unsigned r = 0; r < n; r++) {
        sum_s += rows[r].end_s - rows[r].begin_s;
        if (rows[r].end_s > rows[r].begin_s)
            begin_s = fmax(begin_s, rows[r].begin_s);
        last = rows[r].end_s > rows[last].end_s ? r : last;
    }
    begin_s = isfinite(begin_s) ? begin_s : rows[last].end_s;
    rows[last].is_last = 1;
    return is_loop ? sum_s / n : rows[last].end_s - begin_s;
}

/* Begins a case with the repetition i. 0: no memory. */
static int begin_case(tlp_measured *m, size_t i, const tlp_measured_row *row)
{
    const char *algorithm = m->algorithms[row->algorithm];
    tlp_measured_case *cases = reallocarray(m->cases, m->n_cases + 1, sizeof *cases);
    char name[96];
    if (!cases)
        return 0;
    m->cases = cases;
    cases[m->n_cases++] =
        (tlp_measured_case){.algorithm = algorithm, .bytes = row->bytes, .first = i};
    snprintf(name, sizeof name, "%.24s, %" PRId64 " B, %.44s", m->operation, row->bytes, algorithm);
    return tlp_begin_repetitions(&m->repetitions, name, "s") != NULL;
}

/* Whether the repetition a is of another case than b. */
static bool is_other_case(const tlp_measured *m, size_t a, size_t b)
{
    const tlp_measured_row *x = &m->rows[a * m->n_together], *y = &m->rows[b * m->n_together];
    return x->bytes != y->bytes || x->algorithm != y->algorithm;
}

/* Adds the repetition i to the last case. 0: no memory. */
static int add_repetition(tlp_measured *m, size_t i)
{
    tlp_measured_row *row = &m->rows[i * m->n_together];
    const unsigned group = m->n_together > 1 ? row->launch : row->launch * m->n_ranks + row->rank;
    m->cases[m->n_cases - 1].n++;
    m->seconds[i] = seconds_of(row, m->n_together, !strcmp(m->start, "loop"));
    return tlp_add_repetition(&m->repetitions.items[m->n_cases - 1], group, m->seconds[i]) == TL_OK;
}

/* Adds the case of the repetitions from `from` up to `end`, which become those from *to on. Late
 * ones are no valid measurements (Hunold and Carpen-Amarie, IEEE TPDS 27, 2016) and are left out,
 * unless all are late. 0: no memory. */
static int add_case(tlp_measured *m, size_t from, size_t end, size_t *to)
{
    const unsigned n = m->n_together;
    size_t n_late = 0;
    for (size_t i = from; i < end; i++)
        n_late += is_late(m, i);
    if (!begin_case(m, *to, &m->rows[from * n]))
        return 0;
    m->cases[m->n_cases - 1].n_late = n_late;
    for (size_t i = from; i < end; i++) {
        if (is_late(m, i) && n_late < end - from)
            continue;
        memmove(&m->rows[*to * n], &m->rows[i * n], n * sizeof *m->rows);
        if (!add_repetition(m, (*to)++))
            return 0;
    }
    return 1;
}

static int add_cases(tlp_measured *m)
{
    const size_t n = tlp_measured_repetitions(m);
    size_t to = 0;
    for (size_t from = 0, end; from < n; from = end) {
        for (end = from + 1; end < n && !is_other_case(m, end, from);)
            end++;
        if (!add_case(m, from, end, &to))
            return 0;
    }
    m->n_rows = to * m->n_together;
    return 1;
}

/* The durations of a case, or of one launch of it (-1: of all), from a category on. Returns how
 * many there are. */
static size_t list_from(const tlp_measured *m, size_t k, int launch, tlp_category least,
                        double *out)
{
    const tlp_repetitions *r = &m->repetitions.items[k];
    const unsigned n_groups = m->n_together > 1 ? 1 : m->n_ranks; /* of a launch */
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->categories[i] >= least &&
            (launch < 0 || r->groups[i] / n_groups == (unsigned)launch))
            out[n++] = r->values[i];
    return n;
}

/* Those that are neither first nor warm-up, ascending; if there are none, all. */
static size_t settled(const tlp_measured *m, size_t k, int launch, double *out)
{
    size_t n = list_from(m, k, launch, TLP_OUTLIER, out);
    if (!n)
        n = list_from(m, k, launch, TLP_FIRST, out);
    gsl_sort(out, 1, n);
    return n;
}

static void describe_case(tlp_measured *m, size_t k, double *room)
{
    tlp_measured_case *c = &m->cases[k];
    for (size_t i = 0; i < c->n; i++)
        c->n_of[m->repetitions.items[k].categories[i]]++;
    const size_t n = settled(m, k, -1, room);
    if (!n)
        return;
    c->median_s = gsl_stats_median_from_sorted_data(room, 1, n);
    c->low_s = gsl_stats_quantile_from_sorted_data(room, 1, n, 0.05);
    c->high_s = gsl_stats_quantile_from_sorted_data(room, 1, n, 0.95);
}

void tlp_measured_medians(const tlp_measured *m, unsigned launch, double *out)
{
    double *room = malloc((m->n_rows + 1) * sizeof *room);
    for (size_t k = 0; k < m->n_cases; k++) {
        const size_t n = room ? settled(m, k, (int)launch, room) : 0;
        out[k] = n ? gsl_stats_median_from_sorted_data(room, 1, n) : NAN;
    }
    free(room);
}

size_t tlp_measured_repetitions(const tlp_measured *m)
{
    return m->n_rows / m->n_together;
}

tlp_category tlp_measured_category(const tlp_measured *m, size_t repetition)
{
    size_t k = 0;
    while (repetition >= m->cases[k].first + m->cases[k].n)
        k++;
    return m->repetitions.items[k].categories[repetition - m->cases[k].first];
}

static const char *finish(void *all)
{
    static const char memory[] = "out of memory";
    tlp_measured *m = all;
    if (!m->n_rows || !m->n_ranks)
        return "has no repetitions; give a file that 'timeless measure' wrote";
    m->n_together = strcmp(m->start, "calls") != 0 ? m->n_ranks : 1;
    if (!sort_algorithms(m))
        return memory;
    qsort(m->rows, m->n_rows, sizeof *m->rows, compare_rows);
    if (!are_whole(m))
        return "rows of some ranks are missing or double; measure again";
    if (!(m->seconds = calloc(m->n_rows, sizeof *m->seconds)))
        return memory;
    for (size_t i = 0; i < m->n_rows; i++) {
        const tlp_measured_row *row = &m->rows[i];
        m->uncertainty_s = fmax(m->uncertainty_s, row->uncertainty_s);
        m->n_launches = row->launch >= m->n_launches ? row->launch + 1 : m->n_launches;
    }
    if (!add_cases(m) || tlp_categorise_all(&m->repetitions) != TL_OK)
        return memory;
    double *room = malloc(m->n_rows * sizeof *room);
    for (size_t k = 0; k < m->n_cases && room; k++)
        describe_case(m, k, room);
    free(room);
    return room ? NULL : memory;
}

void tlp_measured_free(void *all)
{
    tlp_measured *m = all;
    if (!m)
        return;
    for (size_t i = 0; i < m->n_algorithms; i++)
        free(m->algorithms[i]);
    for (size_t i = 0; i < m->n_hosts; i++)
        free(m->hosts[i]);
    for (size_t i = 0; i < m->n_stacks; i++)
        free(m->stacks[i].functions);
    free(m->stacks);
    free(m->algorithms);
    free(m->hosts);
    free(m->rows);
    free(m->cases);
    free(m->seconds);
    tlp_clear_repetitions(&m->repetitions);
    free(m);
}

const tlp_raw tlp_raw_measured = {.bytes = sizeof(tlp_measured),
                                  .entry = "raw/measured.csv",
                                  .magic = TLP_MEASURED_MAGIC,
                                  .header = TLP_MEASURED_HEADER,
                                  .least_cells = 19,
                                  .behind_notes = "\n",
                                  .notes = list_notes,
                                  .take_line = tlp_measured_take_line,
                                  .take_row = take_row,
                                  .finish = finish,
                                  .free = tlp_measured_free};
