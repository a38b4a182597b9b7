/* sweep_words.h - the command line of a replay at a point of a sweep. */
#ifndef CLI_SWEEP_WORDS_H
#define CLI_SWEEP_WORDS_H

#include <argp.h>
#include <study/sweep.h>

/* Words of a command line, each allocated. */
typedef struct word_list {
    size_t n;
    char **words;
} word_list;

/* Takes over the word; 0 without memory (NULL is a word for which there was no memory). */
int word_list_add(word_list *list, char *word);
int word_list_format(word_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void word_list_free(word_list *list);
/* What follows `start`, such as "--platform=", in the last word that begins with it; NULL: none
 * does. */
const char *word_list_value(const word_list *list, const char *start);

/* The options of `timeless replay`. The help leaves out those that show a single replay;
 * words_parse explains where they belong. */
const struct argp_option *words_options(void);
/* A parser of these options: puts them as words "--NAME=VALUE" into a word_list, its input. */
error_t words_parse(int key, char *value, struct argp_state *state);

/* TL_ERR_USAGE: replay has no such axis. */
tl_status words_check_axis(const char *name, tl_error *err);

/* The words of a point: the trace, or "make PATTERN ranks=N ..."; the options; the values of the
 * axes. */
tl_status words_at(const tlr_sweep *sweep, size_t point, const char *trace,
                   const word_list *options, word_list *out, tl_error *err);

/* Loads the engine that the words name, before the processes that replay with it start. They report
 * its errors themselves. */
void words_prepare(const word_list *words);

/* Replays the point in this process and fills it; with_energy: also the energy of the job, if the
 * platform states watts. Returns the exit code, or exits on wrong usage. */
int words_run(word_list *words, int with_energy, tlr_point *point);

#endif
