/* text.h - the text form: names of the slots, and what its writer and its parser share. */
#ifndef TL_TEXT_H
#define TL_TEXT_H

#include "core/bytes.h"
#include "timeless.h"

#include <stdbool.h>

#define TL_TEXT_FIRST_LINE "timeless-text 1"

enum tl_text_kind {
    TL_TEXT_INT64,
    TL_TEXT_UINT32,
    TL_TEXT_PEER, /* int32_t; also "null", "any", "root" */
    TL_TEXT_TAG   /* int32_t; also "any" */
};

/* A slot whose value is one number. */
typedef struct tl_text_field {
    uint32_t slot; /* TL_SLOT_* */
    enum tl_text_kind kind;
    size_t offset; /* in tl_event */
    const char *name;
} tl_text_field;

enum { TL_N_TEXT_FIELDS = 11 };
extern const tl_text_field tl_text_fields[TL_N_TEXT_FIELDS];
/* The name of the field in the lines of this call: a tag may be called "level", "code" or "mode".
 */
const char *tl_text_field_name(const tl_text_field *field, const tl_call_info *row);
/* Number of the names in row->dimensions. */
unsigned tl_text_n_dimensions(const tl_call_info *row);

/* The names of the ends by tl_end_reason. */
extern const char *const tl_text_ends[TL_END_CUT + 1];

/* Takes the next word of *rest: ends it with 0 and moves on. Blanks between quotation marks belong
 * to the word. NULL if there is no word. */
char *tl_text_word(char **rest);
/* The text after "name=" if the word begins with it, else NULL. */
char *tl_text_value(char *word, const char *name);
/* Whole numbers only. False if the text is something else, or if the number is out of bounds. */
bool tl_text_unsigned(const char *text, uint64_t max, uint64_t *out);
bool tl_text_signed(const char *text, int64_t min, int64_t max, int64_t *out);
/* Replaces a quoted text with escapes by its meaning, in place. NULL if it is not quoted correctly.
 */
char *tl_text_unquote(char *text);

/* Parses the call and the slots of an event. `list` holds event->list. If it fails, *what explains
 * what is wrong and what to do; the text is in `buf`. */
tl_status tl_text_parse_event(char *text, tl_event *event, tl_buffer *list, char *buf, size_t size);
/* Parses "[0-3,7,9-15/2]" into the members of a communicator, each below n_ranks; at most n_ranks
 * of them. */
tl_status tl_text_parse_members(const char *text, uint32_t n_ranks, tl_buffer *members);
/* Parses "[1,null]" into neighbours in a communicator of n_members. Changes the text. */
tl_status tl_text_parse_neighbours(char *text, uint32_t n_members, tl_buffer *neighbours);

#endif
