/* definitions.c - hosts, communicators, call sites and the program's kernels: encoding and
 * decoding. */
#include "definitions.h"

#include "format.h"
#include "frame.h"

/* ---- writing ---- */

static bool put_number(tl_buffer *out, uint64_t v)
{
    if (!tl_buffer_reserve(out, TL_VARINT_MAX_BYTES))
        return false;
    tl_buffer_put_varint(out, v);
    return true;
}

static bool put_text(tl_buffer *out, const char *text)
{
    const size_t size = strlen(text);
    return put_number(out, size) && tl_buffer_put(out, text, size);
}

/* A definition consists of its kind, the length of the rest, and the rest. The rest has been
 * written from `begin` on, and is moved when its length is known. It is removed if it is not
 * complete. */
static bool end_definition(tl_buffer *out, size_t begin, uint8_t kind, bool is_complete)
{
    uint8_t head[1 + TL_VARINT_MAX_BYTES] = {kind};
    const size_t size = out->size - begin;
    const size_t head_bytes = (size_t)(tl_put_varint(head + 1, size) - head);
    is_complete = is_complete && tl_buffer_reserve(out, head_bytes);
    out->size = begin;
    if (!is_complete)
        return false;
    memmove(out->data + begin + head_bytes, out->data + begin, size);
    memcpy(out->data + begin, head, head_bytes);
    out->size += head_bytes + size;
    return true;
}

static bool define_text(tl_buffer *out, uint8_t kind, const char *text)
{
    const size_t begin = out->size;
    return end_definition(out, begin, kind, put_text(out, text));
}

bool tl_define_host(tl_buffer *out, const char *host)
{
    return define_text(out, TL_DEFINE_HOST, host);
}

bool tl_define_remark(tl_buffer *out, const char *text)
{
    return define_text(out, TL_DEFINE_REMARK, text);
}

bool tl_define_clock(tl_buffer *out, const char *reason)
{
    return define_text(out, TL_DEFINE_CLOCK, reason);
}

/* The length of the run of equal strides that begins at member i. *stride is 1 for a run of one. */
static uint32_t run_at(const int32_t *m, uint32_t n_members, uint32_t i, int64_t *stride)
{
    if (i + 1 >= n_members) {
        *stride = 1;
        return 1;
    }
    *stride = (int64_t)m[i + 1] - m[i];
    uint32_t n = 2;
    while (i + n < n_members && (int64_t)m[i + n] - m[i + n - 1] == *stride)
        n++;
    return n;
}

static bool put_members(tl_buffer *out, const int32_t *members, uint32_t n_members)
{
    bool ok = put_number(out, n_members);
    for (uint32_t i = 0; ok && i < n_members;) {
        int64_t stride;
        uint32_t n = run_at(members, n_members, i, &stride);
        ok = put_number(out, (uint64_t)members[i]) &&
             put_number(out, tl_zigzag((uint64_t)stride)) && put_number(out, n);
        i += n;
    }
    return ok;
}

static bool put_neighbours(tl_buffer *out, const int32_t *neighbours, uint32_t n)
{
    bool ok = put_number(out, n);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = put_number(out, tl_zigzag((uint64_t)(int64_t)neighbours[i]));
    return ok;
}

bool tl_define_comm(tl_buffer *out, const tl_comm *comm)
{
    const size_t begin = out->size;
    const bool named = comm->name && *comm->name;
    bool ok = put_number(out, comm->id) && put_number(out, comm->parent) &&
              put_number(out, comm->call) && put_members(out, comm->members, comm->n_members);
    if (comm->n_remote || comm->n_sources || comm->n_destinations || named || comm->has_tag)
        ok = ok && put_members(out, comm->remote, comm->n_remote) &&
             put_neighbours(out, comm->sources, comm->n_sources) &&
             put_neighbours(out, comm->destinations, comm->n_destinations) &&
             put_text(out, named ? comm->name : "");
    if (comm->has_tag)
        ok = ok && put_number(out, tl_zigzag((uint64_t)(int64_t)comm->tag));
    return end_definition(out, begin, TL_DEFINE_COMM, ok);
}

bool tl_define_site(tl_buffer *out, const tl_site *site)
{
    const size_t begin = out->size;
    bool ok =
        put_number(out, site->id) && put_text(out, site->object) && put_number(out, site->offset);
    if (site->n_sources || site->caller)
        ok = ok && put_number(out, site->n_sources);
    for (uint32_t i = 0; ok && i < site->n_sources; i++)
        ok = put_text(out, site->sources[i].function) && put_text(out, site->sources[i].file) &&
             put_number(out, site->sources[i].line);
    if (site->caller)
        ok = ok && put_number(out, site->caller);
    return end_definition(out, begin, TL_DEFINE_SITE, ok);
}

bool tl_define_object(tl_buffer *out, const tl_object *object)
{
    const size_t begin = out->size;
    const bool ok = put_text(out, object->name) && put_text(out, object->path) &&
                    put_text(out, object->build_id);
    return end_definition(out, begin, TL_DEFINE_OBJECT, ok);
}

bool tl_define_kernel(tl_buffer *out, const tl_user_kernel *kernel)
{
    const size_t begin = out->size;
    const bool ok = put_number(out, kernel->id) && put_text(out, kernel->name);
    return end_definition(out, begin, TL_DEFINE_KERNEL, ok);
}

bool tl_define_counter(tl_buffer *out, const tl_counter *counter)
{
    const size_t begin = out->size;
    const bool ok = put_number(out, counter->id) && put_text(out, counter->name) &&
                    put_number(out, counter->value);
    return end_definition(out, begin, TL_DEFINE_COUNTER, ok);
}

/* ---- reading ---- */

/* Copies `size` bytes and appends a 0. Equal copies are stored once. */
static const void *share(tl_pool *pool, const void *data, size_t size)
{
    uint64_t *found = tl_map_at(&pool->index, tl_hash_of(data, size, size));
    if (!found)
        return NULL;
    if (*found) {
        const uint64_t *block = pool->blocks[*found - 1];
        if (block[0] == size && !memcmp(block + 1, data, size))
            return block + 1;
    }
    if (!tl_make_room(&pool->blocks, pool->n_blocks, &pool->blocks_capacity, sizeof(void *)))
        return NULL;
    uint64_t *block = malloc(sizeof *block + size + 1);
    if (!block)
        return NULL;
    block[0] = size;
    memcpy(block + 1, data, size);
    ((char *)(block + 1))[size] = 0;
    pool->blocks[pool->n_blocks++] = block;
    *found = pool->n_blocks;
    return block + 1;
}

void tl_pool_free(tl_pool *pool)
{
    for (size_t i = 0; i < pool->n_blocks; i++)
        free(pool->blocks[i]);
    free(pool->blocks);
    tl_map_free(&pool->index);
}

/* Sizes of elements, by kind. */
static const size_t element_bytes[TL_N_LISTS] = {
    [TL_COMMS] = sizeof(tl_comm),          [TL_SITES] = sizeof(tl_site),
    [TL_KERNELS] = sizeof(tl_user_kernel), [TL_COUNTERS] = sizeof(tl_counter),
    [TL_OBJECTS] = sizeof(tl_object),
};

void tl_definitions_free(tl_definitions *d)
{
    for (int i = 0; i < TL_N_LISTS; i++)
        free(d->lists[i].items);
}

bool tl_definitions_copy(tl_definitions *to, const tl_definitions *from)
{
    bool ok = true;
    *to = *from;
    for (int i = 0; i < TL_N_LISTS; i++) {
        const size_t size = from->lists[i].n * element_bytes[i];
        to->lists[i].capacity = from->lists[i].n;
        to->lists[i].items = malloc(size + 1);
        if (size && to->lists[i].items)
            memcpy(to->lists[i].items, from->lists[i].items, size);
        ok = ok && to->lists[i].items;
    }
    return ok;
}

static tl_status add(tl_definitions *d, int kind, const void *item)
{
    tl_list *l = &d->lists[kind];
    if (!tl_make_room(&l->items, l->n, &l->capacity, element_bytes[kind]))
        return TL_ERR_MEMORY;
    memcpy((char *)l->items + l->n++ * element_bytes[kind], item, element_bytes[kind]);
    return TL_OK;
}

static tl_status get_text(tl_input *in, tl_pool *pool, const char **out)
{
    uint64_t size = tl_get_varint(in);
    if (in->bad || size > (size_t)(in->end - in->p) || size > TL_MAX_TEXT_BYTES ||
        memchr(in->p, 0, size))
        return TL_ERR_CORRUPT;
    *out = share(pool, in->p, size);
    in->p += size;
    return *out ? TL_OK : TL_ERR_MEMORY;
}

/* *out: the ranks of one group; *n_members: their number. */
static tl_status get_members(tl_input *in, tl_pool *pool, uint32_t *n_members, const int32_t **out)
{
    uint64_t n_wanted = tl_get_varint(in);
    if (in->bad || n_wanted > pool->n_ranks)
        return TL_ERR_CORRUPT;
    if (n_wanted > pool->max_expanded_members ||
        pool->expanded_members > pool->max_expanded_members - n_wanted)
        return TL_ERR_LIMIT;
    int32_t *members = malloc((n_wanted + 1) * sizeof *members);
    if (!members)
        return TL_ERR_MEMORY;
    tl_status status = TL_OK;
    uint32_t n = 0;
    while (n < n_wanted) {
        uint64_t start = tl_get_varint(in);
        int64_t stride = (int64_t)tl_unzigzag(tl_get_varint(in));
        uint64_t count = tl_get_varint(in);
        if (in->bad || !count || count > n_wanted - n || start >= pool->n_ranks ||
            (count > 1 &&
             (stride <= -(int64_t)pool->n_ranks || stride >= (int64_t)pool->n_ranks))) {
            status = TL_ERR_CORRUPT;
            goto cleanup;
        }
        int64_t last = (int64_t)start + stride * (int64_t)(count - 1);
        if (last < 0 || last >= pool->n_ranks) {
            status = TL_ERR_CORRUPT;
            goto cleanup;
        }
        for (uint64_t i = 0; i < count; i++)
            members[n++] = (int32_t)((int64_t)start + stride * (int64_t)i);
    }
    size_t known = pool->n_blocks;
    *n_members = n;
    *out = share(pool, members, n * sizeof *members);
    if (!*out)
        status = TL_ERR_MEMORY;
    else if (pool->n_blocks > known)
        pool->expanded_members += n;
cleanup:
    free(members);
    return status;
}

static tl_status get_neighbours(tl_input *in, tl_pool *pool, uint32_t n_members, uint32_t *n,
                                const int32_t **out)
{
    uint64_t n_wanted = tl_get_varint(in);
    if (in->bad || n_wanted > (size_t)(in->end - in->p))
        return TL_ERR_CORRUPT;
    int32_t *neighbours = malloc((n_wanted + 1) * sizeof *neighbours);
    if (!neighbours)
        return TL_ERR_MEMORY;
    tl_status status = TL_OK;
    for (uint64_t i = 0; i < n_wanted && !status; i++) {
        int64_t rank = (int64_t)tl_unzigzag(tl_get_varint(in));
        if (in->bad || (rank != TL_PROC_NULL && (rank < 0 || rank >= n_members)))
            status = TL_ERR_CORRUPT;
        else
            neighbours[i] = (int32_t)rank;
    }
    if (!status) {
        *n = (uint32_t)n_wanted;
        *out = share(pool, neighbours, n_wanted * sizeof *neighbours);
        status = *out ? TL_OK : TL_ERR_MEMORY;
    }
    free(neighbours);
    return status;
}

static tl_status get_tag(tl_input *in, tl_comm *comm)
{
    const int64_t tag = (int64_t)tl_unzigzag(tl_get_varint(in));
    if (in->bad || tag < INT32_MIN || tag > INT32_MAX)
        return TL_ERR_CORRUPT;
    comm->tag = (int32_t)tag;
    comm->has_tag = 1;
    return TL_OK;
}

/* A number that is not 0. */
static tl_status get_id(tl_input *in, uint32_t most, uint32_t *out)
{
    const uint64_t id = tl_get_varint(in);
    *out = (uint32_t)id;
    return in->bad || !id || id > most ? TL_ERR_CORRUPT : TL_OK;
}

static tl_status get_comm(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    tl_comm comm = {.name = ""};
    TL_TRY(get_id(in, UINT32_MAX, &comm.id));
    uint64_t parent = tl_get_varint(in), call = tl_get_varint(in);
    if (in->bad || comm.id < TL_COMM_FIRST || parent > UINT32_MAX || call > UINT16_MAX)
        return TL_ERR_CORRUPT;
    comm.parent = (uint32_t)parent;
    comm.call = (uint16_t)call;
    TL_TRY(get_members(in, pool, &comm.n_members, &comm.members));
    if (in->p < in->end) {
        TL_TRY(get_members(in, pool, &comm.n_remote, &comm.remote));
        TL_TRY(get_neighbours(in, pool, comm.n_members, &comm.n_sources, &comm.sources));
        TL_TRY(get_neighbours(in, pool, comm.n_members, &comm.n_destinations, &comm.destinations));
        TL_TRY(get_text(in, pool, &comm.name));
    }
    if (in->p < in->end)
        TL_TRY(get_tag(in, &comm));
    return add(d, TL_COMMS, &comm);
}

static tl_status get_sources(tl_pool *pool, tl_input *in, tl_site *site)
{
    /* Zero, because the pool compares the padding, too. */
    tl_source sources[TL_MAX_SOURCES];
    memset(sources, 0, sizeof sources);
    const uint64_t n = tl_get_varint(in);
    if (in->bad || n > TL_MAX_SOURCES)
        return TL_ERR_CORRUPT;
    for (uint64_t i = 0; i < n; i++) {
        TL_TRY(get_text(in, pool, &sources[i].function));
        TL_TRY(get_text(in, pool, &sources[i].file));
        const uint64_t line = tl_get_varint(in);
        if (in->bad || line > UINT32_MAX)
            return TL_ERR_CORRUPT;
        sources[i].line = (uint32_t)line;
    }
    site->n_sources = (uint32_t)n;
    if (n)
        site->sources = share(pool, sources, (size_t)n * sizeof *sources);
    return n && !site->sources ? TL_ERR_MEMORY : TL_OK;
}

static tl_status get_site(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    tl_site site = {0};
    TL_TRY(get_id(in, UINT32_MAX, &site.id));
    TL_TRY(get_text(in, pool, &site.object));
    site.offset = tl_get_varint(in);
    if (in->bad)
        return TL_ERR_CORRUPT;
    if (in->p < in->end)
        TL_TRY(get_sources(pool, in, &site));
    const uint64_t caller = in->p < in->end ? tl_get_varint(in) : 0;
    if (in->bad || caller >= site.id)
        return TL_ERR_CORRUPT;
    site.caller = (uint32_t)caller;
    return add(d, TL_SITES, &site);
}

static tl_status get_object(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    tl_object object;
    TL_TRY(get_text(in, pool, &object.name));
    TL_TRY(get_text(in, pool, &object.path));
    TL_TRY(get_text(in, pool, &object.build_id));
    return add(d, TL_OBJECTS, &object);
}

static tl_status get_kernel(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    tl_user_kernel kernel = {0};
    TL_TRY(get_id(in, INT32_MAX, &kernel.id));
    TL_TRY(get_text(in, pool, &kernel.name));
    return add(d, TL_KERNELS, &kernel);
}

static tl_status get_counter(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    tl_counter counter = {0};
    TL_TRY(get_id(in, UINT32_MAX, &counter.id));
    TL_TRY(get_text(in, pool, &counter.name));
    counter.value = tl_get_varint(in);
    return in->bad ? TL_ERR_CORRUPT : add(d, TL_COUNTERS, &counter);
}

static tl_status read_all(tl_definitions *d, tl_pool *pool, const uint8_t *raw, size_t size)
{
    tl_input in = {.p = raw, .end = raw + size};
    while (in.p < in.end) {
        unsigned kind = *in.p++;
        uint64_t length = tl_get_varint(&in);
        if (in.bad || length > (size_t)(in.end - in.p))
            return TL_ERR_CORRUPT;
        tl_input body = {.p = in.p, .end = in.p + length};
        tl_status status = TL_OK;
        switch (kind) {
        case TL_DEFINE_HOST: status = get_text(&body, pool, &d->host); break;
        case TL_DEFINE_COMM: status = get_comm(d, pool, &body); break;
        case TL_DEFINE_SITE: status = get_site(d, pool, &body); break;
        case TL_DEFINE_KERNEL: status = get_kernel(d, pool, &body); break;
        case TL_DEFINE_COUNTER: status = get_counter(d, pool, &body); break;
        case TL_DEFINE_REMARK: status = get_text(&body, pool, &d->remark); break;
        case TL_DEFINE_OBJECT: status = get_object(d, pool, &body); break;
        case TL_DEFINE_CLOCK: status = get_text(&body, pool, &d->clock); break;
        default: break; /* of a later minor version */
        }
        TL_TRY(status);
        in.p += length;
    }
    return TL_OK;
}

int tl_by_id(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts the elements behind the first `kept`, which are already sorted. False if an id appears
 * twice. */
static bool prepare(tl_list *l, size_t kept, size_t bytes)
{
    char *element = l->items;
    if (kept == l->n)
        return true;
    qsort(element + kept * bytes, l->n - kept, bytes, tl_by_id);
    for (size_t i = kept; i < l->n; i++) {
        const char *new = element + i *bytes;
        if ((i > kept && !tl_by_id(new - bytes, new)) ||
            (kept && bsearch(new, element, kept, bytes, tl_by_id)))
            return false;
    }
    return true;
}

tl_status tl_definitions_read(tl_definitions *d, tl_pool *pool, const uint8_t *raw, size_t size)
{
    const tl_definitions before = *d;
    tl_status status = read_all(d, pool, raw, size);
    for (int i = 0; i < TL_OBJECTS && !status; i++)
        if (!prepare(&d->lists[i], before.lists[i].n, element_bytes[i]))
            status = TL_ERR_CORRUPT;
    for (int i = 0; i < TL_OBJECTS && !status; i++)
        if (d->lists[i].n > before.lists[i].n)
            qsort(d->lists[i].items, d->lists[i].n, element_bytes[i], tl_by_id);
    if (!status)
        return TL_OK;
    d->host = before.host;
    d->remark = before.remark;
    d->clock = before.clock;
    for (int i = 0; i < TL_N_LISTS; i++)
        d->lists[i].n = before.lists[i].n;
    return status;
}
