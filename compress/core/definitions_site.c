/* definitions_site.c - call sites and object files: encoding and decoding. */
#include "definitions.h"

#include "format.h"
#include "frame.h"

bool tl_define_site(tl_buffer *out, const tl_site *site)
{
    tl_buffer body = {0};
    bool ok = tl_put_number(&body, site->id) && tl_put_text(&body, site->object) &&
              tl_put_number(&body, site->offset);
    if (site->n_sources || site->caller)
        ok = ok && tl_put_number(&body, site->n_sources);
    for (uint32_t i = 0; ok && i < site->n_sources; i++)
        ok = tl_put_text(&body, site->sources[i].function) &&
             tl_put_text(&body, site->sources[i].file) &&
             tl_put_number(&body, site->sources[i].line);
    if (site->caller)
        ok = ok && tl_put_number(&body, site->caller);
    ok = ok && tl_put_definition(out, TL_DEFINE_SITE, &body);
    tl_buffer_free(&body);
    return ok;
}

bool tl_define_object(tl_buffer *out, const tl_object *object)
{
    tl_buffer body = {0};
    bool ok = tl_put_text(&body, object->name) && tl_put_text(&body, object->path) &&
              tl_put_text(&body, object->build_id) &&
              tl_put_definition(out, TL_DEFINE_OBJECT, &body);
    tl_buffer_free(&body);
    return ok;
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
        tl_status status = tl_get_text(in, pool, &sources[i].function);
        if (!status)
            status = tl_get_text(in, pool, &sources[i].file);
        if (status)
            return status;
        const uint64_t line = tl_get_varint(in);
        if (in->bad || line > UINT32_MAX)
            return TL_ERR_CORRUPT;
        sources[i].line = (uint32_t)line;
    }
    site->n_sources = (uint32_t)n;
    if (n)
        site->sources = tl_pool_share(pool, sources, (size_t)n * sizeof *sources);
    return n && !site->sources ? TL_ERR_MEMORY : TL_OK;
}

tl_status tl_get_site(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    uint64_t id = tl_get_varint(in);
    if (in->bad || !id || id > UINT32_MAX)
        return TL_ERR_CORRUPT;
    tl_site site = {.id = (uint32_t)id};
    tl_status status = tl_get_text(in, pool, &site.object);
    if (status)
        return status;
    site.offset = tl_get_varint(in);
    if (in->bad)
        return TL_ERR_CORRUPT;
    if (in->p < in->end && (status = get_sources(pool, in, &site)))
        return status;
    const uint64_t caller = in->p < in->end ? tl_get_varint(in) : 0;
    if (in->bad || caller >= id)
        return TL_ERR_CORRUPT;
    site.caller = (uint32_t)caller;
    if (!tl_make_room(&d->sites, d->n_sites, &d->sites_capacity, sizeof site))
        return TL_ERR_MEMORY;
    d->sites[d->n_sites++] = site;
    return TL_OK;
}

tl_status tl_get_object(tl_definitions *d, tl_pool *pool, tl_input *in)
{
    tl_object object;
    tl_status status = tl_get_text(in, pool, &object.name);
    if (!status)
        status = tl_get_text(in, pool, &object.path);
    if (!status)
        status = tl_get_text(in, pool, &object.build_id);
    if (status)
        return status;
    if (!tl_make_room(&d->objects, d->n_objects, &d->objects_capacity, sizeof object))
        return TL_ERR_MEMORY;
    d->objects[d->n_objects++] = object;
    return TL_OK;
}
