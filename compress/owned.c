/* owned.c - the definitions that a reader keeps; equal ones of several ranks are stored once. */
#include "owned.h"

#include "core/frame.h"

static tl_owned_definitions *add_empty(tl_reader *r)
{
    if (!tl_make_room(&r->definitions, r->n_definitions, &r->definitions_capacity,
                      sizeof *r->definitions))
        return NULL;
    tl_owned_definitions *own = calloc(1, sizeof *own);
    if (own)
        r->definitions[r->n_definitions++] = own;
    return own;
}

/* The first definitions of a rank: those of another rank with the same bytes, or new ones. */
static tl_status read_first(tl_reader *r, tl_map *shared, tl_part *part, const uint8_t *raw,
                            size_t size)
{
    const uint64_t check = tl_hash_of(raw, size, 1);
    uint64_t *index = tl_map_at(shared, tl_hash_of(raw, size, 0));
    if (!index)
        return TL_ERR_MEMORY;
    if (*index && r->definitions[*index - 1]->check == check) {
        part->definitions = &r->definitions[*index - 1]->d;
        return TL_OK;
    }
    tl_owned_definitions *own = add_empty(r);
    if (!own)
        return TL_ERR_MEMORY;
    TL_TRY(tl_definitions_read(&own->d, &r->pool, raw, size));
    own->is_shared = true;
    own->check = check;
    *index = r->n_definitions;
    part->definitions = &own->d;
    return TL_OK;
}

/* The definitions of the rank, as a copy to which others can be added. */
static tl_owned_definitions *own_definitions(tl_reader *r, tl_part *part)
{
    /* The definitions are the first member of the object that the reader owns. */
    tl_owned_definitions *now = (tl_owned_definitions *)(uintptr_t)part->definitions;
    if (!now->is_shared)
        return now;
    tl_owned_definitions *own = add_empty(r);
    if (!own || !tl_definitions_copy(&own->d, &now->d))
        return NULL;
    part->definitions = &own->d;
    return own;
}

tl_status tl_owned_read(tl_reader *r, tl_map *shared, tl_part *part, const uint8_t *raw,
                        size_t size)
{
    if (!part->has_definitions) {
        const tl_status status = read_first(r, shared, part, raw, size);
        part->has_definitions = !status;
        return status;
    }
    tl_owned_definitions *own = own_definitions(r, part);
    return own ? tl_definitions_read(&own->d, &r->pool, raw, size) : TL_ERR_MEMORY;
}
