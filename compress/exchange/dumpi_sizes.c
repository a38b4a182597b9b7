/* dumpi_sizes.c - the volumes and clocks of a rank that DUMPI recorded, and the sizes of its
 * datatypes.
 *
 * The computation between two calls becomes the volume of the second call. */
#include "config.h"

#include "dumpi_convert.h"

#include "core/error.h"

tl_status tl_dumpi_refuse(tl_dumpi_convert *m, const char *what)
{
    const unsigned function = m->f->record.function;
    return tl_dumpi_wrong(m->f, TL_ERR_INPUT, "%s: %s",
                          function < TL_DUMPI_N_CALLS ? tl_dumpi_rows[function].name
                                                      : "a function of the program",
                          what);
}

/* ---- time ---- */

/* Seconds have 16 bits, so no two consecutive calls may be 9 hours apart. */
static int64_t between_ns(uint16_t from_s, uint32_t from_ns, uint16_t to_s, uint32_t to_ns)
{
    return (int16_t)(uint16_t)(to_s - from_s) * INT64_C(1000000000) + to_ns - from_ns;
}

static bool wants(const tl_dumpi_convert *m, const char *volume)
{
    return m->options->volume && !strcmp(m->options->volume, volume);
}

tl_status tl_dumpi_count_volume(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    const tl_dumpi_times *t = wants(m, "wall") ? &r->wall : &r->cpu;
    if (wants(m, "none"))
        return TL_OK;
    double more = 0;
    if (m->f->counter >= 0) {
        if (r->n_counters <= (unsigned)m->f->counter)
            return tl_dumpi_refuse(m, "lacks the counter; choose another --volume");
        more = (double)(int64_t)(r->counter_in - m->last_counter);
        m->last_counter = r->counter_out;
    } else if (t->known) {
        more = (double)between_ns(m->last.stop_s, m->last.stop_ns, t->start_s, t->start_ns);
        m->last = *t;
    } else {
        return tl_dumpi_refuse(m, "lacks its time; choose another --volume");
    }
    if (m->begun && more > 0)
        m->volume += more * m->options->rate;
    return m->volume < 1e19 ? TL_OK
                            : tl_dumpi_refuse(m, "follows on more than 1e19 units of volume");
}

void tl_dumpi_follow_clock(tl_dumpi_convert *m)
{
    const tl_dumpi_times *t = &m->f->record.wall;
    if (!t->known)
        return;
    int64_t gap_ns = between_ns(m->last_wall.stop_s, m->last_wall.stop_ns, t->start_s, t->start_ns);
    int64_t call_ns = between_ns(t->start_s, t->start_ns, t->stop_s, t->stop_ns);
    m->call_ns = call_ns > 0 ? (uint64_t)call_ns : 0;
    if (m->initialised)
        m->clock_ns += m->call_ns + (gap_ns > 0 ? (uint64_t)gap_ns : 0);
    m->last_wall = *t;
}

/* ---- datatypes ---- */

static bool size_of(tl_dumpi_convert *m, int64_t type, int64_t *bytes)
{
    static const int16_t known[] = {-1, -1, 1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                    8,  16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};
    const uint64_t *constructed = tl_map_find(&m->type_bytes, (uint64_t)type);
    const tl_dumpi_array *table = &m->f->type_bytes;
    if (constructed)
        *bytes = (int64_t)*constructed - 1;
    else if ((size_t)type < table->n && tl_dumpi_element(table, (size_t)type) > 0)
        *bytes = tl_dumpi_element(table, (size_t)type);
    else if ((size_t)type < sizeof known / sizeof *known)
        *bytes = known[type];
    else
        *bytes = -1;
    return *bytes >= 0;
}

/* Bytes of an element that is sent or received, or that may appear where nothing is. */
tl_status tl_dumpi_take_type(tl_dumpi_convert *m, int64_t type, bool is_used, int64_t *bytes)
{
    if (size_of(m, type, bytes))
        return TL_OK;
    *bytes = 0;
    return is_used
               ? tl_dumpi_refuse(m, "its datatype has no size in the file; record the program with "
                                    "'timeless record'")
               : TL_OK;
}

tl_status tl_dumpi_construct(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    const char *fields = tl_dumpi_rows[r->function].fields;
    int64_t bytes = 0, n = 1, part;
    bool ok = true;
    if (strchr(fields, 'E')) {
        for (size_t i = 0; i < r->types.n && i < r->lengths.n && ok; i++)
            ok = size_of(m, tl_dumpi_element(&r->types, i), &part) &&
                 !__builtin_mul_overflow(part, tl_dumpi_element(&r->lengths, i), &part) &&
                 !__builtin_add_overflow(bytes, part, &bytes);
    } else {
        if (strchr(fields, 'B'))
            for (size_t i = n = 0; i < r->lengths.n; i++)
                n += tl_dumpi_element(&r->lengths, i);
        else if (strchr(fields, 'n'))
            n = r->value['n'] * (strchr(fields, 'b') ? r->value['b'] : 1);
        ok = size_of(m, r->value['d'], &part) && !__builtin_mul_overflow(n, part, &bytes);
    }
    if (!ok || bytes < 0)
        return TL_OK; /* refused where it is used, unless the file has its size */
    uint64_t *kept = tl_map_at(&m->type_bytes, (uint64_t)r->value['D']);
    if (!kept)
        return tl_dumpi_out_of_memory(m);
    *kept = (uint64_t)bytes + 1;
    return TL_OK;
}
