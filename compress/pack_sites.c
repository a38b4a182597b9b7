/* pack_sites.c - packing: adds the source to call sites that have none yet. */
#include "pack_sites.h"

#include "core/format.h"

/* The object file of a site; NULL if it is unknown, or if files of different folders have this
 * name. */
static const tl_object *object_of(const tl_reader *r, uint32_t rank, const tl_site *site)
{
    const tl_object *objects, *found = NULL;
    const size_t n = tl_reader_objects(r, rank, &objects);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(objects[i].name, site->object) != 0)
            continue;
        if (found && strcmp(found->path, objects[i].path) != 0)
            return NULL;
        found = &objects[i];
    }
    return found;
}

/* Writes the definition of a site again, with its source. False if it stays as it is: it has a
 * source, no source is found, or it has fields that this version does not know. */
static bool put_with_sources(const tl_site_sources *s, uint32_t rank, tl_input body, tl_buffer *out,
                             bool *failed)
{
    const tl_site *site = tl_reader_site(s->r, rank, (uint32_t)tl_get_varint(&body));
    const uint64_t name_bytes = tl_get_varint(&body);
    if (!site || site->n_sources || body.bad || name_bytes > (size_t)(body.end - body.p))
        return false;
    body.p += name_bytes;
    tl_get_varint(&body); /* the offset */
    if (body.p < body.end)
        tl_get_varint(&body); /* no sources */
    if (body.p < body.end)
        tl_get_varint(&body); /* the caller */
    const tl_object *object = object_of(s->r, rank, site);
    if (!object || body.bad || body.p < body.end)
        return false;
    tl_site known = *site;
    known.n_sources = s->find(s->sources_of, object, site->offset, &known.sources);
    if (!known.n_sources || known.n_sources > TL_MAX_SOURCES)
        return false;
    *failed = !tl_define_site(out, &known);
    return true;
}

tl_status tl_add_sources(const tl_site_sources *s, uint32_t rank, const tl_input *payload,
                         tl_buffer *out)
{
    tl_input in = *payload;
    out->size = 0;
    while (in.p < in.end) {
        const uint8_t *begin = in.p;
        const unsigned kind = *in.p++;
        const uint64_t length = tl_get_varint(&in);
        if (in.bad || length > (size_t)(in.end - in.p))
            return TL_ERR_CORRUPT;
        const tl_input body = {.p = in.p, .end = in.p + length};
        in.p += length;
        bool failed = false;
        if (kind == TL_DEFINE_SITE && put_with_sources(s, rank, body, out, &failed)) {
            if (failed)
                return TL_ERR_MEMORY;
            continue;
        }
        if (!tl_buffer_put(out, begin, (size_t)(in.p - begin)))
            return TL_ERR_MEMORY;
    }
    return TL_OK;
}
