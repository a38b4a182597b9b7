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

/* Takes over the word; 0: no memory (NULL is a word for which there was none). */
int word_list_add(word_list *list, char *word);
void word_list_free(word_list *list);

/* The options of `timeless replay`, without those that show a single one in the help: words_parse
 * tells where these belong. */
const struct argp_option *words_options(void);
/* Parser of these options: into "--NAME=VALUE" words of a word_list, its input. */
error_t words_parse(int key, char *value, struct argp_state *state);

/* TL_ERR_USAGE: no replay has such an axis. */
tl_status words_check_axis(const char *name, tl_error *err);

/* The words of a point: the trace, or "make PATTERN ranks=N ..."; the options; those of the axes.
 */
tl_status words_at(const tlr_sweep *sweep, size_t point, const char *trace,
                   const word_list *options, word_list *out, tl_error *err);

/* Loads the engine that the words name, ahead of the processes that replay with it.  What is wrong
 * with it they say themselves. */
void words_prepare(const word_list *words);

/* Replays what the words say, in this process, and fills the point.  Returns the exit code, or
 * exits on wrong usage. */
int words_run(word_list *words, tlr_point *point);

#endif
