/* definitions.c - hosts, communicators and the program's kernels: encoding and decoding. */
#include "definitions.h"

#include "format.h"
#include "frame.h"

/* ---- writing ---- */

/* A definition consists of its kind, the length of the rest, and the rest. The rest is built at the
 * end of `out` and moved when its length is known. */
bool tl_put_definition(tl_buffer *out, uint8_t kind, const tl_buffer *body)
{
    if (!tl_buffer_reserve(out, 1 + TL_VARINT_MAX_BYTES + body->size))
        return false;
    out->data[out->size++] = kind;
    tl_buffer_put_varint(out, body->size);
    memcpy(out->data + out->size, body->data, body->size);
    out->size += body->size;
    return true;
}

bool tl_put_text(tl_buffer *out, const char *text)
{
    size_t size = strlen(text);
    if (!tl_buffer_reserve(out, size + TL_VARINT_MAX_BYTES))
        return false;
    tl_buffer_put_varint(out, size);
    memcpy(out->data + out->size, text, size);
    out->size += size;
    return true;
}

bool tl_put_number(tl_buffer *out, uint64_t v)
{
    if (!tl_buffer_reserve(out, TL_VARINT_MAX_BYTES))
        return false;
    tl_buffer_put_varint(out, v);
    return true;
}

bool tl_define_host(tl_buffer *out, const char *host)
{
    tl_buffer body = {0};
    bool ok = tl_put_text(&body, host) && tl_put_definition(out, TL_DEFINE_HOST, &body);
    tl_buffer_free(&body);
    return ok;
}

/* Writes a text that is shorter than that of an error. It allocates no memory, because a remark may
 * have to report that there is none. */
static bool define_line(tl_buffer *out, uint8_t kind, const char *text)
{
    uint8_t bytes[TL_VARINT_MAX_BYTES + sizeof((tl_error *)0)->text];
    tl_buffer body = {.data = bytes, .capacity = sizeof bytes};
    return strlen(text) < sizeof((tl_error *)0)->text && tl_put_text(&body, text) &&
           tl_put_definition(out, kind, &body);
}

bool tl_define_remark(tl_buffer *out, const char *text)
{
    return define_line(out, TL_DEFINE_REMARK, text);
}

bool tl_define_clock(tl_buffer *out, const char *reason)
{
    return define_line(out, TL_DEFINE_CLOCK, reason);
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
    bool ok = tl_put_number(out, n_members);
    for (uint32_t i = 0; ok && i < n_members;) {
        int64_t stride;
        uint32_t n = run_at(members, n_members, i, &stride);
        ok = tl_put_number(out, (uint64_t)members[i]) &&
             tl_put_number(out, tl_zigzag((uint64_t)stride)) && tl_put_number(out, n);
        i += n;
    }
    return ok;
}

static bool put_neighbours(tl_buffer *out, const int32_t *neighbours, uint32_t n)
{
    bool ok = tl_put_number(out, n);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = tl_put_number(out, tl_zigzag((uint64_t)(int64_t)neighbours[i]));
    return ok;
}

bool tl_define_comm(tl_buffer *out, const tl_comm *comm)
{
    tl_buffer body = {0};
    const bool named = comm->name && *comm->name;
    bool ok = tl_put_number(&body, comm->id) && tl_put_number(&body, comm->parent) &&
              tl_put_number(&body, comm->call) &&
              put_members(&body, comm->members, comm->n_members);
    if (comm->n_remote || comm->n_sources || comm->n_destinations || named || comm->has_tag)
        ok = ok && put_members(&body, comm->remote, comm->n_remote) &&
             put_neighbours(&body, comm->sources, comm->n_sources) &&
             put_neighbours(&body, comm->destinations, comm->n_destinations) &&
             tl_put_text(&body, named ? comm->name : "");
    if (comm->has_tag)
        ok = ok && tl_put_number(&body, tl_zigzag((uint64_t)(int64_t)comm->tag));
    ok = ok && tl_put_definition(out, TL_DEFINE_COMM, &body);
    tl_buffer_free(&body);
    return ok;
}

bool tl_define_kernel(tl_buffer *out, const tl_user_kernel *kernel)
{
    tl_buffer body = {0};
    bool ok = tl_put_number(&body, kernel->id) && tl_put_text(&body, kernel->name) &&
              tl_put_definition(out, TL_DEFINE_KERNEL, &body);
    tl_buffer_free(&body);
    return ok;
}

bool tl_define_counter(tl_buffer *out, const tl_counter *counter)
{
    tl_buffer body = {0};
    bool ok = tl_put_number(&body, counter->id) && tl_put_text(&body, counter->name) &&
              tl_put_number(&body, counter->value) &&
              tl_put_definition(out, TL_DEFINE_COUNTER, &body);
    tl_buffer_free(&body);
    return ok;
}

/* ---- reading ---- */

/* Copies `size` bytes and appends a 0. Equal copies are stored once. */
const void *tl_pool_share(tl_pool *pool, const void *data, size_t size)
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

void tl_definitions_free(tl_definitions *d)
{
    free(d->comms);
    free(d->sites);
    free(d->kernels);
    free(d->counters);
    free(d->objects);
}

static bool copy_array(void *to, const void *from, size_t n, size_t *capacity, size_t element_bytes)
{
    void *copy = malloc(n * element_bytes + 1);
    if (copy && n)
        memcpy(copy, from, n * element_bytes);
    memcpy(to, &copy, sizeof copy);
    *capacity = copy ? n : 0;
    return copy != NULL;
}

bool tl_definitions_copy(tl_definitions *to, const tl_definitions *from)
{
    *to = *from;
    bool ok =
        copy_array(&to->comms, from->comms, from->n_comms, &to->comms_capacity, sizeof *to->comms);
    ok &=
        copy_array(&to->sites, from->sites, from->n_sites, &to->sites_capacity, sizeof *to->sites);
    ok &= copy_array(&to->kernels, from->kernels, from->n_kernels, &to->kernels_capacity,
                     sizeof *to->kernels);
    ok &= copy_array(&to->objects, from->objects, from->n_objects, &to->objects_capacity,
                     sizeof *to->objects);
    return ok & copy_array(&to->counters, from->counters, from->n_counters, &to->counters_capacity,
                           sizeof *to->counters);
}

tl_status tl_get_text(tl_input *in, tl_pool *pool, const char **out)
{
    uint64_t size = tl_get_varint(in);
    if (in->bad || size > (size_t)(in->end - in->p) || size > TL_MAX_TEXT_BYTES ||
        memchr(in->p, 0, size))
        return TL_ERR_CORRUPT;
    *out = tl_pool_share(pool, in->p, size);
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
    *out = tl_pool_share(pool, members, n * sizeof *members);
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
        *out = tl_pool_share(pool, neighbours, n_wanted * sizeof *neighbours);
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

static tl_status get_comm(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    uint64_t id = tl_get_varint(in), parent = tl_get_varint(in), call = tl_get_varint(in);
    if (in->bad || id < TL_COMM_FIRST || id > UINT32_MAX || parent > UINT32_MAX ||
        call > UINT16_MAX)
        return TL_ERR_CORRUPT;
    tl_comm comm = {
        .id = (uint32_t)id, .parent = (uint32_t)parent, .call = (uint16_t)call, .name = ""};
    tl_status status = get_members(in, pool, &comm.n_members, &comm.members);
    if (!status && in->p < in->end) {
        status = get_members(in, pool, &comm.n_remote, &comm.remote);
        if (!status)
            status = get_neighbours(in, pool, comm.n_members, &comm.n_sources, &comm.sources);
        if (!status)
            status =
                get_neighbours(in, pool, comm.n_members, &comm.n_destinations, &comm.destinations);
        if (!status)
            status = tl_get_text(in, pool, &comm.name);
    }
    if (!status && in->p < in->end)
        status = get_tag(in, &comm);
    if (status)
        return status;
    if (!tl_make_room(&d->comms, d->n_comms, &d->comms_capacity, sizeof comm))
        return TL_ERR_MEMORY;
    d->comms[d->n_comms++] = comm;
    return TL_OK;
}

static tl_status get_kernel(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    uint64_t id = tl_get_varint(in);
    if (in->bad || !id || id > INT32_MAX)
        return TL_ERR_CORRUPT;
    tl_user_kernel kernel = {.id = (uint32_t)id};
    tl_status status = tl_get_text(in, pool, &kernel.name);
    if (status)
        return status;
    if (!tl_make_room(&d->kernels, d->n_kernels, &d->kernels_capacity, sizeof kernel))
        return TL_ERR_MEMORY;
    d->kernels[d->n_kernels++] = kernel;
    return TL_OK;
}

static tl_status get_counter(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    uint64_t id = tl_get_varint(in);
    if (in->bad || !id || id > UINT32_MAX)
        return TL_ERR_CORRUPT;
    tl_counter counter = {.id = (uint32_t)id};
    tl_status status = tl_get_text(in, pool, &counter.name);
    if (status)
        return status;
    counter.value = tl_get_varint(in);
    if (in->bad)
        return TL_ERR_CORRUPT;
    if (!tl_make_room(&d->counters, d->n_counters, &d->counters_capacity, sizeof counter))
        return TL_ERR_MEMORY;
    d->counters[d->n_counters++] = counter;
    return TL_OK;
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
        case TL_DEFINE_HOST: status = tl_get_text(&body, pool, &d->host); break;
        case TL_DEFINE_COMM: status = get_comm(d, pool, &body); break;
        case TL_DEFINE_SITE: status = tl_get_site(d, pool, &body); break;
        case TL_DEFINE_KERNEL: status = get_kernel(d, pool, &body); break;
        case TL_DEFINE_COUNTER: status = get_counter(d, pool, &body); break;
        case TL_DEFINE_REMARK: status = tl_get_text(&body, pool, &d->remark); break;
        case TL_DEFINE_OBJECT: status = tl_get_object(d, pool, &body); break;
        case TL_DEFINE_CLOCK: status = tl_get_text(&body, pool, &d->clock); break;
        default: break; /* of a later minor version */
        }
        if (status)
            return status;
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
static bool prepare(void *array, size_t kept, size_t n, size_t element_bytes)
{
    char *element = array;
    if (kept == n)
        return true;
    qsort(element + kept * element_bytes, n - kept, element_bytes, tl_by_id);
    for (size_t i = kept; i < n; i++) {
        const char *new = element + i *element_bytes;
        if ((i > kept && !tl_by_id(new - element_bytes, new)) ||
            (kept && bsearch(new, array, kept, element_bytes, tl_by_id)))
            return false;
    }
    return true;
}

tl_status tl_definitions_read(tl_definitions *d, tl_pool *pool, const uint8_t *raw, size_t size)
{
    tl_status status = read_all(d, pool, raw, size);
    if (!status && (!prepare(d->comms, d->kept_comms, d->n_comms, sizeof *d->comms) ||
                    !prepare(d->sites, d->kept_sites, d->n_sites, sizeof *d->sites) ||
                    !prepare(d->kernels, d->kept_kernels, d->n_kernels, sizeof *d->kernels) ||
                    !prepare(d->counters, d->kept_counters, d->n_counters, sizeof *d->counters)))
        status = TL_ERR_CORRUPT;
    if (status) {
        d->host = d->kept_host;
        d->remark = d->kept_remark;
        d->clock = d->kept_clock;
        d->n_comms = d->kept_comms;
        d->n_sites = d->kept_sites;
        d->n_kernels = d->kept_kernels;
        d->n_counters = d->kept_counters;
        d->n_objects = d->kept_objects;
        return status;
    }
    if (d->n_comms > d->kept_comms)
        qsort(d->comms, d->n_comms, sizeof *d->comms, tl_by_id);
    if (d->n_sites > d->kept_sites)
        qsort(d->sites, d->n_sites, sizeof *d->sites, tl_by_id);
    if (d->n_kernels > d->kept_kernels)
        qsort(d->kernels, d->n_kernels, sizeof *d->kernels, tl_by_id);
    if (d->n_counters > d->kept_counters)
        qsort(d->counters, d->n_counters, sizeof *d->counters, tl_by_id);
    d->kept_host = d->host;
    d->kept_remark = d->remark;
    d->kept_clock = d->clock;
    d->kept_comms = d->n_comms;
    d->kept_sites = d->n_sites;
    d->kept_kernels = d->n_kernels;
    d->kept_counters = d->n_counters;
    d->kept_objects = d->n_objects;
    return TL_OK;
}
