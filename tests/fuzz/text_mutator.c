/* text_mutator.c - how libFuzzer changes the text of a trace: numbers, the same word wherever it
 * occurs, and events as a whole, so that more than one input in ten is still a trace that can be
 * replayed.  Of changed bytes hardly one in a thousand is. */
#include "fuzz.h"
#include "replays.h"

#include <string.h>

/* libFuzzer's own; other drivers of the harness have none. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { MAX_WORD = 40, MAX_LINE = 4096, MAX_CHANGES = 4, MAX_SAME = 64 };

typedef struct draft {
    char *s; /* max + 1 bytes */
    size_t len, max;
    uint64_t dice;
} draft;

static size_t below(draft *d, size_t n)
{
    d->dice = d->dice * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(d->dice >> 33) % n : 0;
}

/* `with` is no part of the draft. */
static void splice(draft *d, size_t at, size_t gone, const char *with, size_t n)
{
    if (d->len - gone + n > d->max)
        return;
    memmove(d->s + at + n, d->s + at + gone, d->len - at - gone + 1);
    memcpy(d->s + at, with, n);
    d->len += n - gone;
}

static size_t draw_number(draft *d, const char *old, char *word)
{
    static const int64_t edges[] = {0,         1,         -1,        -2,        INT32_MAX,
                                    INT32_MIN, INT64_MAX, INT64_MIN, 100000000, 1LL << 62};
    const int64_t was = strtoll(old, NULL, 10);
    int64_t now = edges[below(d, sizeof edges / sizeof *edges)];
    switch (below(d, 8)) {
    case 0: break;
    case 1: now = (int64_t)(1ULL << below(d, 24)); break;
    case 2: now = (int64_t)((uint64_t)was * 2); break;
    case 3: now = (int64_t)((uint64_t)was + 1); break;
    case 4: now = (int64_t)((uint64_t)was - 1); break;
    default: now = (int64_t)below(d, 8); break;
    }
    return (size_t)snprintf(word, MAX_WORD, "%lld", (long long)now);
}

/* The number behind "=", "[" or "," nearest behind a random place; NULL if there is none. */
static char *find_number(draft *d)
{
    char *s = d->s + below(d, d->len);
    while ((s = strpbrk(s, "=[,")) && !strchr("-0123456789", s[1]))
        s++;
    return s && s[1] ? s + 1 : NULL;
}

static void change_number(draft *d)
{
    char word[MAX_WORD], *at = find_number(d);
    if (!at)
        return;
    const size_t gone = 1 + strspn(at + 1, "0123456789"), n = draw_number(d, at, word);
    splice(d, (size_t)(at - d->s), gone, word, n);
}

/* "count=5" becomes "count=6" on all ranks, which may then still fit together. */
static void change_everywhere(draft *d)
{
    char old[MAX_WORD], word[MAX_WORD];
    const char *at = find_number(d);
    if (!at || at[-1] != '=')
        return;
    const char *start = at;
    while (start > d->s && !strchr(" \n", start[-1]))
        start--;
    const size_t key = (size_t)(at - start), length = strcspn(start, " \n");
    if (length >= sizeof old)
        return;
    memcpy(old, start, length);
    old[length] = '\0';
    const size_t n = draw_number(d, at, word);
    char *s = d->s;
    for (int i = 0; i < MAX_SAME && (s = strstr(s, old)) != NULL; i++) {
        const size_t place = (size_t)(s - d->s);
        if (strchr(" \n", s[length]))
            splice(d, place + key, length - key, word, n);
        s = d->s + place + 1;
    }
}

/* A line of an event; its length with the line end, 0 if there is none behind a random place. */
static size_t find_event(draft *d, size_t *at)
{
    const char *s = d->s + below(d, d->len);
    while ((s = strchr(s, '\n')) && !strchr("0123456789", s[1]))
        s++;
    if (!s || !s[1])
        return 0;
    *at = (size_t)(s + 1 - d->s);
    const size_t n = strcspn(s + 1, "\n") + 1;
    return n <= MAX_LINE && *at + n <= d->len ? n : 0;
}

static void change_event(draft *d)
{
    char line[MAX_LINE];
    size_t from = 0, to = 0;
    const size_t n = find_event(d, &from), gone = find_event(d, &to);
    if (!n || !gone)
        return;
    memcpy(line, d->s + from, n);
    switch (below(d, 3)) {
    case 0: splice(d, to, gone, "", 0); break;
    case 1: splice(d, to, gone, line, n); break;
    default: splice(d, to, 0, line, n); break;
    }
}

/* Rank and number of each event as the lines before it require. */
static void number_events(draft *d)
{
    char word[MAX_WORD];
    long rank = 0, number = 0;
    for (char *s = d->s; s && *s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (!strncmp(s, "rank ", 5)) {
            rank = strtol(s + 5, NULL, 10);
            number = 0;
        } else if (*s >= '0' && *s <= '9') {
            size_t old = strspn(s, "0123456789");
            old += s[old] == ' ';
            old += strspn(s + old, "0123456789");
            const int n = snprintf(word, sizeof word, "%ld %ld", rank, number++);
            const size_t place = (size_t)(s - d->s);
            splice(d, place, old, word, (size_t)n);
            s = d->s + place;
        }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    draft d = {.len = size, .max = max_size, .dice = seed};
    if (!size || memchr(data, '\0', size) || below(&d, 16) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    d.s = malloc(max_size + 1);
    FUZZ_CHECK(d.s && size <= max_size);
    memcpy(d.s, data, size);
    d.s[size] = '\0';
    for (size_t n = 1 + below(&d, MAX_CHANGES); n > 0; n--) {
        switch (below(&d, 3)) {
        case 0: change_number(&d); break;
        case 1: change_everywhere(&d); break;
        default: change_event(&d); break;
        }
    }
    number_events(&d);
    memcpy(data, d.s, d.len);
    size = d.len;
    free(d.s);
    return size;
}
