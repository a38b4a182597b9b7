/* secret.c - removes secrets from the words of a command line. */
#include "timeless_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char withheld[] = "(withheld)";

/* Whether a part of the name, between '-' and '_', is "pw" or "pwd". PWD itself is a folder. */
static bool has_short_word(const char *name, size_t length)
{
    for (size_t i = 0, n; i < length; i += n + 1) {
        for (n = 0; i + n < length && !strchr("-_", name[i + n]);)
            n++;
        if ((n == 2 || (n == 3 && n < length)) && !strncasecmp(name + i, "pwd", n))
            return true;
    }
    return false;
}

static bool has_secret_word(const char *name, size_t length)
{
    static const char *const words[] = {"TOKEN", "KEY",  "SECRET",     "PASS", "CRED",
                                        "AUTH",  "JWT",  "TRANSPORTS", "URI",  "COOKIE",
                                        "CERT",  "SIGN", "MUNGE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t at = 0; at + strlen(words[i]) <= length; at++)
            if (!strncasecmp(name + at, words[i], strlen(words[i])))
                return true;
    return has_short_word(name, length);
}

bool tl_is_secret(const char *name)
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

/* ---- tokens, which their form gives away ---- */

static const char token_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/* The length of the token that begins here: a known prefix with many letters behind it, or a JSON
 * web token, which has three parts; 0 if none does. */
static size_t token_length(const char *text)
{
    enum { LEAST_LETTERS = 16 };
    static const char *const prefixes[] = {
        "ghp_",  "gho_",  "ghu_",  "ghs_",     "ghr_",    "glpat-",     "gldt-", "glrt-",
        "xoxb-", "xoxp-", "xoxa-", "xoxs-",    "AKIA",    "ASIA",       "AIza",  "npm_",
        "pypi-", "hf_",   "sk-",   "sk_live_", "dop_v1_", "github_pat_"};
    const size_t n = strspn(text, token_letters);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t prefix = strlen(prefixes[i]);
        if (n >= prefix + LEAST_LETTERS && !strncmp(text, prefixes[i], prefix))
            return n;
    }
    if (strncmp(text, "eyJ", 3) != 0 || text[n] != '.')
        return 0;
    const size_t claims = strspn(text + n + 1, token_letters);
    if (claims < LEAST_LETTERS || text[n + 1 + claims] != '.')
        return 0;
    return n + claims + 2 + strspn(text + n + claims + 2, token_letters);
}

/* The word without its tokens. Returns the length, like snprintf. */
static size_t put_without_tokens(const char *word, char *out, size_t size)
{
    size_t length = 0, token;
    for (const char *at = word; *at; at += token ? token : 1) {
        const bool begins = at == word || !strchr(token_letters, at[-1]);
        token = begins ? token_length(at) : 0;
        length +=
            (size_t)snprintf(length < size ? out + length : NULL, length < size ? size - length : 0,
                             "%.*s", token ? (int)sizeof withheld : 1, token ? withheld : at);
    }
    if (size && !length)
        *out = '\0';
    return length;
}

/* Whether the word behind "-p" is a number, a list of them or a path, and no password. */
static bool is_harmless(const char *word)
{
    return !word[strspn(word, "0123456789.,:x")] || strchr(word, '/') || word[0] == '-';
}

enum { NO_VALUE, IS_VALUE, IS_NAME, IS_PERHAPS_VALUE };

size_t tl_public_word(const char *word, int *next, char *out, size_t size)
{
    const bool is_option = word[0] == '-';
    const size_t value = secret_value(word);
    size_t end = 0;
    const size_t user = user_in_url(word, &end);
    const int was = *next;
    const bool is_name = is_option || was == IS_NAME;
    *next = is_name && !value && tl_is_secret(word) ? IS_VALUE : NO_VALUE;
    if (!*next && names_variable(word))
        *next = IS_NAME;
    if (!*next && !strcmp(word, "-p"))
        *next = IS_PERHAPS_VALUE;
    if ((was == IS_VALUE && *next != IS_VALUE) || (was == IS_PERHAPS_VALUE && !is_harmless(word)))
        return (size_t)snprintf(out, size, "%s", withheld);
    if (value)
        return (size_t)snprintf(out, size, "%.*s%s", (int)value, word, withheld);
    if (user)
        return (size_t)snprintf(out, size, "%.*s%s%s", (int)user, word, withheld, word + end);
    return put_without_tokens(word, out, size);
}
