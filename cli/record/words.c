/* words.c - options of timeless record that the tracer reads in a variable of the environment. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

void record_add_word(record_words *words, const char *format, ...)
{
    size_t used = strlen(words->text);
    va_list args;
    va_start(args, format);
    if (used)
        words->text[used++] = ' ';
    const int n = vsnprintf(words->text + used, words->size - used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= words->size - used)
        exit(cli_fail_text(TL_ERR_USAGE, "%s has more than %zu bytes", words->too_long,
                           words->size - 1));
    setenv(words->variable, words->text, 1);
}
