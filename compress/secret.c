/* secret.c - removes secrets from the words of a command line. */
#include "timeless_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char withheld[] = "(withheld)";

static bool has_secret_word(const char *name, size_t length)
{
    static const char *const words[] = {"TOKEN", "KEY",  "SECRET",     "PASS", "CRED",
                                        "AUTH",  "JWT",  "TRANSPORTS", "URI",  "COOKIE",
                                        "CERT",  "SIGN", "MUNGE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t at = 0; at + strlen(words[i]) <= length; at++)
            if (!strncasecmp(name + at, words[i], strlen(words[i])))
                return true;
    return false;
}

int tl_is_secret(const char *name)
{
    return has_secret_word(name, strcspn(name, "="));
}

/* If the word is "NAME=..." or "NAME:..." and the name suggests a secret, the place where the
 * secret begins; otherwise 0. */
static size_t secret_value(const char *word)
{
    const size_t name = strcspn(word, "=:");
    return word[name] && has_secret_word(word, name) ? name + 1 : 0;
}

/* If the word contains "SCHEME://USER:PASSWORD@", the place where USER begins, and *end at the '@';
 * otherwise 0. */
static size_t user_in_url(const char *word, size_t *end)
{
    const char *host = strstr(word, "://");
    if (!host)
        return 0;
    host += strlen("://");
    const size_t length = strcspn(host, "/?#");
    size_t at = length;
    while (at && host[at - 1] != '@')
        at--;
    *end = (size_t)(host - word) + at - 1;
    return at ? (size_t)(host - word) : 0;
}

/* Whether the next word is the name of a variable, and the one after it the value, as MPICH's
 * launcher has it: -genv NAME VALUE. */
static bool names_variable(const char *word)
{
    const size_t dashes = strspn(word, "-");
    return dashes && (!strcmp(word + dashes, "genv") || !strcmp(word + dashes, "env"));
}

enum { NO_VALUE, IS_VALUE, IS_NAME };

size_t tl_public_word(const char *word, int *is_value, char *out, size_t size)
{
    const bool is_option = word[0] == '-';
    const size_t value = secret_value(word);
    size_t end = 0;
    const size_t user = user_in_url(word, &end);
    const int was = *is_value;
    const bool is_name = is_option || was == IS_NAME;
    *is_value = is_name && !value && tl_is_secret(word) ? IS_VALUE : NO_VALUE;
    if (!*is_value && names_variable(word))
        *is_value = IS_NAME;
    if (was == IS_VALUE && *is_value != IS_VALUE)
        return (size_t)snprintf(out, size, "%s", withheld);
    if (value)
        return (size_t)snprintf(out, size, "%.*s%s", (int)value, word, withheld);
    if (user)
        return (size_t)snprintf(out, size, "%.*s%s%s", (int)user, word, withheld, word + end);
    return (size_t)snprintf(out, size, "%s", word);
}
