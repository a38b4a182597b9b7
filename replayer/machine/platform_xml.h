/* platform_xml.h - the elements of a platform.xml, read by expat and checked against SimGrid's DTD.
 */
#ifndef TLR_PLATFORM_XML_H
#define TLR_PLATFORM_XML_H

#include <timeless_files.h>

/* The elements that SimGrid has. */
typedef enum tlr_tag {
    TLR_TAG_PLATFORM,
    TLR_TAG_CONFIG,
    TLR_TAG_PROP,
    TLR_TAG_ZONE,
    TLR_TAG_CLUSTER,
    TLR_TAG_CABINET,
    TLR_TAG_PEER,
    TLR_TAG_HOST,
    TLR_TAG_HOST_LINK,
    TLR_TAG_ROUTER,
    TLR_TAG_LINK,
    TLR_TAG_BACKBONE,
    TLR_TAG_ROUTE,      /* between points of a zone */
    TLR_TAG_ZONE_ROUTE, /* between zones */
    TLR_TAG_BYPASS_ROUTE,
    TLR_TAG_BYPASS_ZONE_ROUTE,
    TLR_TAG_LINK_CTN,
    TLR_TAG_TRACE,
    TLR_TAG_TRACE_CONNECT,
    TLR_TAG_IGNORED, /* without effect on hosts and routes */
    TLR_TAG_REMOVED  /* SimGrid refuses it */
} tlr_tag;

typedef struct tlr_element {
    tlr_tag tag, parent;
    const char *name;
    const char *path; /* of the file, for messages */
    unsigned long line;
    const char *const *attributes; /* name, value, ..., NULL */
} tlr_element;

/* Gets the elements of a file in order. */
typedef struct tlr_xml_reader {
    tl_status (*begin)(void *arg, const tlr_element *e, tl_error *err);
    tl_status (*end)(void *arg, const tlr_element *e,
                     tl_error *err); /* without attributes, or NULL */
    void *arg;
} tlr_xml_reader;

/* Reads a whole file; stops at the first status other than TL_OK. TL_ERR_INPUT if the text is not
 * XML, or if an element or an attribute is none of SimGrid's or lies in an element that may not
 * have it. */
tl_status tlr_xml_read(const char *text, size_t size, const char *path,
                       const tlr_xml_reader *reader, tl_error *err);

/* The value of an attribute; NULL if the element does not have it. */
const char *tlr_xml_value(const tlr_element *e, const char *name);
/* "FILE:LINE: <cluster>: MESSAGE" */
tl_status tlr_xml_fail(const tlr_element *e, tl_status status, tl_error *err, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));
/* The value of an attribute that the element must have. */
tl_status tlr_xml_text(const tlr_element *e, const char *name, const char **out, tl_error *err);
/* A number with SimGrid's units; without a unit it is in s, B/s or flop/s. Of several values ("1Gf,
 * 2Gf": states) the one with this index. `fallback` if the element does not have it; a negative
 * fallback means that it must. */
tl_status tlr_xml_quantity(const tlr_element *e, const char *name, tl_quantity kind, unsigned index,
                           double fallback, double *out, tl_error *err);
/* The ranges of "0-15,20". `take` gets the first and the last number of each. */
tl_status tlr_xml_radical(const tlr_element *e,
                          tl_status (*take)(void *arg, long first, long last, tl_error *err),
                          void *arg, tl_error *err);

#endif
