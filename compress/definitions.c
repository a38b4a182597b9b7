/* definitions.c - hosts, communicators and call sites: to bytes and back. */
#include "definitions.h"

#include "format.h"
#include "frame.h"

/* ---- writing ---- */

/* A definition is: kind, length of the rest, the rest.  The rest is built at the end of `out` and
 * moved once its length is known. */
static bool put_definition(tl_buffer *out, uint8_t kind, const tl_buffer *body)
{
    if (!tl_buffer_reserve(out, 1 + TL_VARINT_MAX_BYTES + body->size))
        return false;
    out->data[out->size++] = kind;
    tl_buffer_put_varint(out, body->size);
    memcpy(out->data + out->size, body->data, body->size);
    out->size += body->size;
    return true;
}

static bool put_text(tl_buffer *out, const char *text)
{
    size_t size = strlen(text);
    if (!tl_buffer_reserve(out, size + TL_VARINT_MAX_BYTES))
        return false;
    tl_buffer_put_varint(out, size);
    memcpy(out->data + out->size, text, size);
    out->size += size;
    return true;
}

static bool put_number(tl_buffer *out, uint64_t v)
{
    if (!tl_buffer_reserve(out, TL_VARINT_MAX_BYTES))
        return false;
    tl_buffer_put_varint(out, v);
    return true;
}

bool tl_define_host(tl_buffer *out, const char *host)
{
    tl_buffer body = {0};
    bool ok = put_text(&body, host) && put_definition(out, TL_DEFINE_HOST, &body);
    tl_buffer_free(&body);
    return ok;
}

/* Length of the run of equal strides that begins at member i; *stride is 1 for a run of one. */
static uint32_t run_at(const tl_comm *comm, uint32_t i, int64_t *stride)
{
    const int32_t *m = comm->members;
    if (i + 1 >= comm->n_members) {
        *stride = 1;
        return 1;
    }
    *stride = (int64_t)m[i + 1] - m[i];
    uint32_t n = 2;
    while (i + n < comm->n_members && (int64_t)m[i + n] - m[i + n - 1] == *stride)
        n++;
    return n;
}

bool tl_define_comm(tl_buffer *out, const tl_comm *comm)
{
    tl_buffer body = {0};
    bool ok = put_number(&body, comm->id) && put_number(&body, comm->parent) &&
              put_number(&body, comm->call) && put_number(&body, comm->n_members);
    for (uint32_t i = 0; ok && i < comm->n_members;) {
        int64_t stride;
        uint32_t n = run_at(comm, i, &stride);
        ok = put_number(&body, (uint64_t)comm->members[i]) &&
             put_number(&body, tl_zigzag((uint64_t)stride)) && put_number(&body, n);
        i += n;
    }
    ok = ok && put_definition(out, TL_DEFINE_COMM, &body);
    tl_buffer_free(&body);
    return ok;
}

bool tl_define_site(tl_buffer *out, const tl_site *site)
{
    tl_buffer body = {0};
    bool ok = put_number(&body, site->id) && put_text(&body, site->object) &&
              put_number(&body, site->offset) && put_definition(out, TL_DEFINE_SITE, &body);
    tl_buffer_free(&body);
    return ok;
}

/* ---- reading ---- */

/* A copy of `size` bytes and a final 0, shared with every earlier equal one. */
static const void *pool_share(tl_pool *pool, const void *data, size_t size)
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
}

static tl_status get_text(tl_input *in, tl_pool *pool, const char **out)
{
    uint64_t size = tl_get_varint(in);
    if (in->bad || size > (size_t)(in->end - in->p) || size > TL_MAX_TEXT_BYTES ||
        memchr(in->p, 0, size))
        return TL_ERR_CORRUPT;
    *out = pool_share(pool, in->p, size);
    in->p += size;
    return *out ? TL_OK : TL_ERR_MEMORY;
}

static tl_status get_members(tl_input *in, tl_pool *pool, tl_comm *comm)
{
    int32_t *members = malloc((comm->n_members + 1) * sizeof *members);
    if (!members)
        return TL_ERR_MEMORY;
    tl_status status = TL_OK;
    uint32_t n = 0;
    while (n < comm->n_members) {
        uint64_t start = tl_get_varint(in);
        int64_t stride = (int64_t)tl_unzigzag(tl_get_varint(in));
        uint64_t count = tl_get_varint(in);
        if (in->bad || !count || count > comm->n_members - n || start >= pool->n_ranks ||
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
    comm->members = pool_share(pool, members, n * sizeof *members);
    if (!comm->members)
        status = TL_ERR_MEMORY;
    else if (pool->n_blocks > known)
        pool->expanded_members += n;
cleanup:
    free(members);
    return status;
}

static tl_status get_comm(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    uint64_t id = tl_get_varint(in), parent = tl_get_varint(in), call = tl_get_varint(in);
    uint64_t n_members = tl_get_varint(in);
    if (in->bad || id < TL_COMM_FIRST || id > UINT32_MAX || parent > UINT32_MAX ||
        call > UINT16_MAX || n_members > pool->n_ranks)
        return TL_ERR_CORRUPT;
    if (n_members > pool->max_expanded_members ||
        pool->expanded_members > pool->max_expanded_members - n_members)
        return TL_ERR_LIMIT;
    tl_comm comm = {.id = (uint32_t)id,
                    .parent = (uint32_t)parent,
                    .call = (uint16_t)call,
                    .n_members = (uint32_t)n_members};
    tl_status status = get_members(in, pool, &comm);
    if (status)
        return status;
    if (!tl_make_room(&d->comms, d->n_comms, &d->comms_capacity, sizeof comm))
        return TL_ERR_MEMORY;
    d->comms[d->n_comms++] = comm;
    return TL_OK;
}

static tl_status get_site(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    uint64_t id = tl_get_varint(in);
    if (in->bad || !id || id > UINT32_MAX)
        return TL_ERR_CORRUPT;
    tl_site site = {.id = (uint32_t)id};
    tl_status status = get_text(in, pool, &site.object);
    if (status)
        return status;
    site.offset = tl_get_varint(in);
    if (in->bad)
        return TL_ERR_CORRUPT;
    if (!tl_make_room(&d->sites, d->n_sites, &d->sites_capacity, sizeof site))
        return TL_ERR_MEMORY;
    d->sites[d->n_sites++] = site;
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
        case TL_DEFINE_HOST: status = get_text(&body, pool, &d->host); break;
        case TL_DEFINE_COMM: status = get_comm(d, pool, &body); break;
        case TL_DEFINE_SITE: status = get_site(d, pool, &body); break;
        default: break; /* of a later minor version */
        }
        if (status)
            return status;
        in.p += length;
    }
    return TL_OK;
}

static int by_comm_id(const void *a, const void *b)
{
    const tl_comm *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_site_id(const void *a, const void *b)
{
    const tl_site *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Puts the elements behind the first `kept`, which are in order, in order among themselves; false
 * when an id is there twice. */
static bool prepare(void *array, size_t kept, size_t n, size_t element_bytes,
                    int (*compare)(const void *, const void *))
{
    char *element = array;
    if (kept == n)
        return true;
    qsort(element + kept * element_bytes, n - kept, element_bytes, compare);
    for (size_t i = kept; i < n; i++) {
        const char *new = element + i *element_bytes;
        if ((i > kept && !compare(new - element_bytes, new)) ||
            (kept && bsearch(new, array, kept, element_bytes, compare)))
            return false;
    }
    return true;
}

tl_status tl_definitions_read(tl_definitions *d, tl_pool *pool, const uint8_t *raw, size_t size)
{
    tl_status status = read_all(d, pool, raw, size);
    if (!status && (!prepare(d->comms, d->kept_comms, d->n_comms, sizeof *d->comms, by_comm_id) ||
                    !prepare(d->sites, d->kept_sites, d->n_sites, sizeof *d->sites, by_site_id)))
        status = TL_ERR_CORRUPT;
    if (status) {
        d->host = d->kept_host;
        d->n_comms = d->kept_comms;
        d->n_sites = d->kept_sites;
        return status;
    }
    if (d->n_comms > d->kept_comms)
        qsort(d->comms, d->n_comms, sizeof *d->comms, by_comm_id);
    if (d->n_sites > d->kept_sites)
        qsort(d->sites, d->n_sites, sizeof *d->sites, by_site_id);
    d->kept_host = d->host;
    d->kept_comms = d->n_comms;
    d->kept_sites = d->n_sites;
    return TL_OK;
}
