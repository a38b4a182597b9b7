/* json_text.h - texts of traces and command lines as JSON strings. */
#ifndef TLR_JSON_TEXT_H
#define TLR_JSON_TEXT_H

#include <jansson.h>

/* A JSON string.  JSON takes UTF-8 only: in a text that is not UTF-8, '?' replaces each byte that
 * is not ASCII.  Returns a new reference; NULL if memory is out, or text is NULL. */
json_t *tlr_json_text(const char *text);

#endif
