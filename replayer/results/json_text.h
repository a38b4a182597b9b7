/* json_text.h - texts of traces and command lines as JSON strings; writing JSON. */
#ifndef TLR_JSON_TEXT_H
#define TLR_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>
#include <timeless.h>

/* A JSON string.  JSON takes UTF-8 only: in a text that is not UTF-8, '?' replaces each byte that
 * is not ASCII.  Returns a new reference; NULL if memory is out, or text is NULL. */
json_t *tlr_json_text(const char *text);
/* Numbers above 2^63 - 1 become strings, because JSON libraries store numbers in 63 bits. */
json_t *tlr_json_unsigned(uint64_t number);
/* The flags of most files, and of those whose numbers are read again. */
#define TLR_JSON_LINES (JSON_SORT_KEYS | JSON_INDENT(1))
#define TLR_JSON_EXACT (TLR_JSON_LINES | JSON_REAL_PRECISION(17))
/* Writes the JSON with a newline behind it, and releases it; NULL: memory was out. `flags` are
 * those of json_dumpf. */
tl_status tlr_json_write(json_t *root, size_t flags, FILE *out, tl_error *err);

#endif
