/* simgrid_tests.c - which tests in SimGrid's text had success.
 *
 * The text does not contain outcomes, but they follow from the later actions: a program that waits
 * for a request after a test, or tests it again, found it incomplete. The last look at a request is
 * the one that completed it. */
#include "config.h"

#include "import.h"

#include "core/bytes.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { ANY_SOURCE = -555, ANY_SOURCE_TRACED = -333, NO_TEST = 0 };

typedef struct open_request {
    long source, destination, tag;
    size_t last_test; /* number of the last test, from 1; NO_TEST */
} open_request;

typedef struct outcomes {
    open_request *open;
    size_t n_open, open_capacity;
    uint8_t *succeeds;
    size_t n_tests, tests_capacity;
} outcomes;

static long number(char **rest)
{
    const char *word = tl_text_word(rest);
    const double value = word ? strtod(word, NULL) : 0;
    const long whole = value > -1e9 && value < 1e10 ? (long)value : 0;
    return whole == ANY_SOURCE_TRACED ? ANY_SOURCE : whole;
}

static open_request *find_request(const outcomes *o, const open_request *like)
{
    for (size_t i = 0; i < o->n_open; i++)
        if (o->open[i].source == like->source && o->open[i].destination == like->destination &&
            o->open[i].tag == like->tag)
            return &o->open[i];
    return NULL;
}

static void remove_request(outcomes *o, open_request *r)
{
    memmove(r, r + 1, (size_t)(o->open + --o->n_open - r) * sizeof *r);
}

/* A program that begins a request like one that it has tested is done with the tested one. */
static bool begin_request(outcomes *o, const open_request *new)
{
    open_request *old = find_request(o, new);
    if (old && old->last_test != NO_TEST && o->succeeds) {
        o->succeeds[old->last_test - 1] = 1;
        remove_request(o, old);
    }
    if (!tl_make_room(&o->open, o->n_open, &o->open_capacity, sizeof *o->open))
        return false;
    o->open[o->n_open++] = *new;
    return true;
}

static bool test(outcomes *o, const open_request *like)
{
    open_request *r = find_request(o, like);
    if (!tl_make_room(&o->succeeds, o->n_tests, &o->tests_capacity, sizeof *o->succeeds))
        return false;
    o->succeeds[o->n_tests++] = 0;
    if (r)
        r->last_test = o->n_tests;
    return true;
}

static bool read_action(outcomes *o, char *rest, uint32_t rank)
{
    const char *word = tl_text_word(&rest);
    uint64_t of;
    if (!word || !tl_text_unsigned(word, UINT32_MAX, &of) || of != rank ||
        !(word = tl_text_word(&rest)))
        return true;
    const bool is_send = !strcmp(word, "isend");
    open_request request = {0};
    if (is_send || !strcmp(word, "irecv")) {
        const long peer = number(&rest), self = (long)rank;
        request.source = is_send ? self : peer;
        request.destination = is_send ? peer : self;
        request.tag = number(&rest);
        return begin_request(o, &request);
    }
    const bool is_test = !strcmp(word, "test"), is_wait = !strcmp(word, "wait");
    if (!strcmp(word, "waitall"))
        o->n_open = 0;
    if (!is_test && !is_wait)
        return true;
    request.source = number(&rest);
    request.destination = number(&rest);
    request.tag = number(&rest);
    if (is_test)
        return test(o, &request);
    open_request *r = find_request(o, &request);
    if (r)
        remove_request(o, r);
    return true;
}

bool tl_simgrid_tests(FILE *in, uint32_t rank, uint8_t **out, size_t *n)
{
    outcomes o = {0};
    char *line = NULL;
    size_t capacity = 0;
    bool has_memory = true;
    *out = NULL;
    *n = 0;
    if (fseek(in, 0, SEEK_SET) != 0)
        return true;
    while (has_memory && getline(&line, &capacity, in) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        has_memory = read_action(&o, line, rank);
    }
    for (size_t i = 0; i < o.n_open && o.succeeds; i++)
        if (o.open[i].last_test != NO_TEST)
            o.succeeds[o.open[i].last_test - 1] = 1;
    rewind(in);
    free(line);
    free(o.open);
    *out = o.succeeds;
    *n = o.n_tests;
    return has_memory;
}
