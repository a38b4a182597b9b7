/* dumpi_read.c - reads the sections of a DUMPI file, and its calls one after the other.
 *
 * A record has no length. Reading therefore ends at a call whose fields are not known. */
#include "config.h"

#include "dumpi.h"

#include "core/error.h"
#include "core/format.h"

#include <inttypes.h>

const tl_dumpi_row tl_dumpi_rows[TL_DUMPI_N_CALLS] = {
#define DUMPI_CALL(name, fields) {"MPI_" #name, fields, TL_DUMPI_IS_CALL},
#define DUMPI_LOCAL(name, fields) {"MPI_" #name, fields, TL_DUMPI_IS_LOCAL},
#define DUMPI_NONE(name) {"MPI_" #name, "", TL_DUMPI_IS_NONE},
#include "dumpi_calls.def"
};

#define MAGIC UINT64_C(0xffaadd44554d5049) /* ff aa dd "DUMPI" */
enum { INDEX_ENTRIES = 8 };
enum { HAS_STATUS = 3, HAS_CPU = 4, HAS_WALL = 8, HAS_THREAD = 64, HAS_COUNTERS = 128 };

/* ---- numbers ---- */

static uint64_t get_number(tl_dumpi_file *f, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        int c = getc(f->in);
        if (c == EOF)
            f->bad = true;
        value = value << 8 | (c == EOF ? 0 : (unsigned)c);
    }
    return value;
}

static int32_t get32(tl_dumpi_file *f)
{
    return (int32_t)(uint32_t)get_number(f, 4);
}

static void seek(tl_dumpi_file *f, uint64_t offset)
{
    if (offset > INT64_MAX || fseeko(f->in, (off_t)offset, SEEK_SET))
        f->bad = true;
}

/* Reads element by element, so that the memory follows the data in the file, not a declared length.
 */
static tl_status get_array(tl_dumpi_file *f, tl_dumpi_array *out, unsigned element_bytes)
{
    int32_t n = get32(f);
    if (n < 0 || (uint32_t)n > TL_MAX_LIST)
        return tl_dumpi_wrong(f, TL_ERR_INPUT,
                              "an array of %" PRId32 " elements; the file is damaged, or of "
                              "another version",
                              n);
    for (int32_t i = 0; i < n && !f->bad; i++) {
        int64_t value = element_bytes == 4 ? get32(f) : (int64_t)get_number(f, element_bytes);
        if (!out)
            continue;
        if (!tl_buffer_put(&out->bytes, &value, sizeof value))
            return tl_no_memory(f->err, f->name);
        out->n++;
    }
    return TL_OK;
}

/* A length of 16 bits and characters, shortened to the size of `text`. */
static void get_string(tl_dumpi_file *f, char *text, size_t size)
{
    size_t n = get_number(f, 2), kept = 0;
    for (size_t i = 0; i < n && !f->bad; i++) {
        char c = (char)get_number(f, 1);
        if (kept + 1 < size && c)
            text[kept++] = c;
    }
    text[kept] = 0;
}

/* ---- sections ---- */

static tl_status read_header(tl_dumpi_file *f, uint64_t offset)
{
    seek(f, offset);
    unsigned major = (unsigned)get_number(f, 1), minor = (unsigned)get_number(f, 1),
             patch = (unsigned)get_number(f, 1);
    get_number(f, 8); /* time of the start */
    get_string(f, f->host, sizeof f->host);
    if (!f->bad && major * 10000 + minor * 100 + patch < 609)
        return tl_fail(f->err, TL_ERR_VERSION,
                       "%s: has version %u.%u.%u of DUMPI, whose writers were wrong; convert it by "
                       "dumpi2dumpi of 0.6.9 or later",
                       f->name, major, minor, patch);
    return TL_OK;
}

static tl_status read_footer(tl_dumpi_file *f, uint64_t offset)
{
    seek(f, offset);
    if (get_number(f, 8) != UINT64_C(0xf007fee7) && !f->bad)
        return tl_fail(f->err, TL_ERR_INPUT,
                       "%s:%" PRIu64 ": no footer is here; the file is "
                       "damaged",
                       f->name, offset);
    for (size_t i = 0; i < TL_DUMPI_N_CALLS; i++)
        f->called[i] = (uint32_t)get_number(f, 4);
    get_number(f, 4);
    for (size_t i = 0; i < TL_DUMPI_N_CALLS; i++)
        f->ignored[i] = (uint32_t)get_number(f, 4);
    return TL_OK;
}

tl_status tl_dumpi_open(tl_dumpi_file *f, FILE *in, const char *name, tl_error *err)
{
    *f = (tl_dumpi_file){.in = in, .name = name, .err = err, .counter = -1};
    rewind(in);
    uint64_t index[INDEX_ENTRIES] = {0};
    bool is_dumpi = get_number(f, 8) == MAGIC;
    if (is_dumpi && fseeko(in, -8 * (off_t)INDEX_ENTRIES, SEEK_END))
        f->bad = true;
    for (size_t i = 0; i < INDEX_ENTRIES && is_dumpi; i++)
        index[i] = get_number(f, 8);
    if (!is_dumpi || f->bad || index[0] != MAGIC)
        return tl_fail(err, TL_ERR_NOT_A_TRACE,
                       is_dumpi
                           ? "%s: has no index of DUMPI 0.6.6 or later at its end; it is cut "
                             "off, or older: convert it by dumpi2dumpi"
                           : "%s: is not a binary file of DUMPI; give those that the meta file "
                             "belongs to",
                       name);
    f->labels = index[3];
    f->body = index[5];
    TL_TRY(read_header(f, index[4]));
    TL_TRY(read_footer(f, index[6]));
    if (index[1]) {
        seek(f, index[1]);
        f->record.offset = index[1];
        TL_TRY(get_array(f, &f->type_bytes, 4));
    }
    if (f->bad)
        return tl_fail(err, TL_ERR_TRUNCATED,
                       "%s: its index names places beyond its end; the file is damaged", name);
    tl_dumpi_rewind(f);
    return TL_OK;
}

bool tl_dumpi_find_counter(tl_dumpi_file *f, const char *label)
{
    char text[80];
    f->counter = -1;
    if (!f->labels)
        return false;
    seek(f, f->labels);
    int32_t n = get32(f);
    for (int32_t i = 0; i < n && i < 128 && !f->bad && f->counter < 0; i++) {
        get_string(f, text, sizeof text);
        if (!strcmp(text, label))
            f->counter = i;
    }
    tl_dumpi_rewind(f);
    return f->counter >= 0;
}

void tl_dumpi_rewind(tl_dumpi_file *f)
{
    clearerr(f->in);
    f->bad = false;
    seek(f, f->body);
    get_number(f, 8); /* seconds that have been taken off the times */
    f->record.offset = f->body;
}

void tl_dumpi_close(tl_dumpi_file *f)
{
    tl_dumpi_record *r = &f->record;
    tl_buffer_free(&f->type_bytes.bytes);
    tl_buffer_free(&r->counts.bytes);
    tl_buffer_free(&r->requests.bytes);
    tl_buffer_free(&r->indices.bytes);
    tl_buffer_free(&r->lengths.bytes);
    tl_buffer_free(&r->types.bytes);
    tl_buffer_free(&r->statuses);
}

/* ---- calls ---- */

static void get_times(tl_dumpi_file *f, tl_dumpi_times *t, bool known)
{
    *t = (tl_dumpi_times){.known = known};
    if (!known)
        return;
    t->start_s = (uint16_t)get_number(f, 2);
    t->start_ns = (uint32_t)get_number(f, 4);
    t->stop_s = (uint16_t)get_number(f, 2);
    t->stop_ns = (uint32_t)get_number(f, 4);
}

static tl_status get_statuses(tl_dumpi_file *f, bool known)
{
    tl_dumpi_record *r = &f->record;
    int32_t n = known ? get32(f) : 0;
    for (int32_t i = 0; i < n && !f->bad; i++) {
        get_number(f, 4); /* bytes */
        tl_dumpi_status s = {.source = get32(f)};
        s.cancelled = get_number(f, 1);
        get_number(f, 1); /* error */
        s.tag = get32(f);
        if (!tl_buffer_put(&r->statuses, &s, sizeof s))
            return tl_no_memory(f->err, f->name);
        r->n_statuses++;
    }
    return TL_OK;
}

static void get_counters(tl_dumpi_file *f, bool known)
{
    tl_dumpi_record *r = &f->record;
    r->n_counters = known ? (unsigned)get_number(f, 1) : 0;
    for (unsigned i = 0; i < r->n_counters; i++) {
        uint64_t in = get_number(f, 8), out = get_number(f, 8);
        if ((int)i == f->counter) {
            r->counter_in = in;
            r->counter_out = out;
        }
    }
}

static tl_status get_texts(tl_dumpi_file *f)
{
    int32_t n = get32(f);
    tl_status status = TL_OK;
    for (int32_t i = 0; i < n && !f->bad && !status; i++)
        status = get_array(f, NULL, 1);
    return status;
}

static tl_status get_field(tl_dumpi_file *f, char field, bool has_status)
{
    tl_dumpi_record *r = &f->record;
    switch (field) {
    case 't':
    case 'T':
    case 'd':
    case 'D':
    case 'c':
    case 'w':
    case 'u':
    case 'U':
    case ':': r->value[(int)field] = (int64_t)get_number(f, 2); return TL_OK;
    case 'o':
    case ',': r->value[(int)field] = (int64_t)get_number(f, 1); return TL_OK;
    case 'C': return get_array(f, &r->counts, 4);
    case 'R': return get_array(f, &r->requests, 4);
    case 'I': return get_array(f, &r->indices, 4);
    case 'B': return get_array(f, &r->lengths, 4);
    case 'E': return get_array(f, &r->types, 2);
    case '-': return get_array(f, NULL, 4);
    case 'L': return get_array(f, NULL, 1);
    case 'a': return get_texts(f);
    case 's': return get_statuses(f, has_status);
    default: r->value[(int)field] = get32(f); return TL_OK;
    }
}

static void free_array(tl_dumpi_array *a)
{
    a->bytes.size = a->n = 0;
}

static void begin_record(tl_dumpi_record *r)
{
    memset(r->value, 0, sizeof r->value);
    free_array(&r->counts);
    free_array(&r->requests);
    free_array(&r->indices);
    free_array(&r->lengths);
    free_array(&r->types);
    r->statuses.size = r->n_statuses = 0;
}

tl_status tl_dumpi_next(tl_dumpi_file *f)
{
    tl_dumpi_record *r = &f->record;
    off_t at = ftello(f->in);
    r->offset = at < 0 ? 0 : (uint64_t)at;
    r->function = (unsigned)get_number(f, 2);
    if (f->bad)
        return tl_dumpi_wrong(f, TL_ERR_TRUNCATED,
                              "the calls end without a mark; the file is damaged");
    if (r->function == TL_DUMPI_END_OF_STREAM)
        return TL_END;
    if (r->function > TL_DUMPI_END_OF_STREAM || r->function == TL_DUMPI_N_CALLS)
        return tl_dumpi_wrong(f, TL_ERR_INPUT,
                              "%u is the number of no call; the file is damaged, or newer than "
                              "what is known here",
                              r->function);
    begin_record(r);
    const unsigned mask = (unsigned)get_number(f, 1);
    r->thread = mask & HAS_THREAD ? (uint16_t)get_number(f, 2) : 0;
    get_times(f, &r->cpu, mask & HAS_CPU);
    get_times(f, &r->wall, mask & HAS_WALL);
    get_counters(f, mask & HAS_COUNTERS);
    if (r->function > TL_DUMPI_N_CALLS) {
        get_number(f, 8); /* address of the function */
        return TL_OK;
    }
    const tl_dumpi_row *row = &tl_dumpi_rows[r->function];
    if (row->kind == TL_DUMPI_IS_NONE)
        return tl_dumpi_wrong(f, TL_ERR_UNSUPPORTED,
                              "%s (%" PRIu32 " calls of this rank): a trace cannot say it; record "
                              "the program with 'timeless record'",
                              row->name, f->called[r->function]);
    tl_status status = TL_OK;
    bool here = true;
    for (const char *field = row->fields; *field && !status; field++) {
        if (*field == '?')
            here = r->value['k'] == r->value['x'];
        else if (*field == '!')
            here = true;
        else if (here)
            status = get_field(f, *field, mask & HAS_STATUS);
    }
    if (!status && f->bad)
        status =
            tl_dumpi_wrong(f, TL_ERR_TRUNCATED, "%s is cut off; the file is damaged", row->name);
    return status;
}
