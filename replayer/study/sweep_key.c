/* sweep_key.c - a hash of everything on which the result of a replay depends. */
#include "config.h"

#include "machine/noise.h"
#include "sweep.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct known_word {
    char *word;
    uint64_t hash;
} known_word;

struct tlr_key_cache {
    size_t n;
    known_word *words;
};

tlr_key_cache *tlr_key_cache_create(void)
{
    return calloc(1, sizeof(tlr_key_cache));
}

void tlr_key_cache_free(tlr_key_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->n; i++)
        free(cache->words[i].word);
    free(cache->words);
    free(cache);
}

static tl_status hash_trace(const char *path, uint64_t *out, tl_error *err)
{
    tl_reader *reader = NULL;
    tl_status status = tl_reader_open(path, &reader, err);
    if (status == TL_OK)
        status = tl_reader_hash(reader, out, err);
    tl_reader_close(reader);
    return status;
}

static tl_status hash_platform(const char *name, uint64_t *out, tl_error *err)
{
    tlr_platform *platform = NULL;
    tl_status status = tlr_platform_load(name, &platform, err);
    if (status == TL_OK)
        *out = platform->hash;
    tlr_platform_free(platform);
    return status;
}

/* A hash of a file; 0 if the word names no file, because then its text is enough. */
static uint64_t hash_file(const char *path)
{
    struct stat about;
    char bytes[16384];
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return 0;
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        XXH64_update(&state, bytes, n);
    fclose(file);
    return XXH64_digest(&state);
}

/* The file of "FILE", "FILE,coscheduled", or of a system that the platforms know by name. */
static tl_status hash_noise(const char *value, uint64_t *out, tl_error *err)
{
    char path[2 * PATH_MAX];
    char *name = strndup(value, strcspn(value, ","));
    if (!name)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the words of the sweep");
    tlr_noise_find(name, path, sizeof path);
    *out = hash_file(path);
    free(name);
    return TL_OK;
}

/* What may be a path in the value of an option: what comes behind the name in
 * "--coll=alltoall=ring.sched", "--set=PIVOTS=rows.txt" and "--cfg=KEY:FILE". */
static const char *path_within(const char *word, const char *value)
{
    static const struct {
        const char *option;
        char separator;
    } named[] = {{"--coll=", '='}, {"--set=", '='}, {"--cfg=", ':'}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const char *at = !strncmp(word, named[i].option, strlen(named[i].option))
                             ? strchr(value, named[i].separator)
                             : NULL;
        if (at)
            return at + 1;
    }
    return value;
}

static tl_status hash_word(const char *word, uint64_t *out, tl_error *err)
{
    static const char platform[] = "--platform=", noise[] = "--noise=";
    const char *value = strchr(word, '=');
    *out = 0;
    if (!strncmp(word, "make ", 5))
        return TL_OK;
    if (word[0] != '-')
        return hash_trace(word, out, err);
    if (!strncmp(word, platform, sizeof platform - 1))
        return hash_platform(value + 1, out, err);
    if (!strncmp(word, noise, sizeof noise - 1))
        return hash_noise(value + 1, out, err);
    const char *path = value ? path_within(word, value + 1) : NULL;
    *out = path ? hash_file(path) : 0;
    return TL_OK;
}

/* Words that name no file are not cached, because there are as many as values. */
static tl_status look_up(tlr_key_cache *cache, const char *word, uint64_t *out, tl_error *err)
{
    for (size_t i = 0; i < cache->n; i++)
        if (!strcmp(cache->words[i].word, word)) {
            *out = cache->words[i].hash;
            return TL_OK;
        }
    tl_status status = hash_word(word, out, err);
    if (status != TL_OK || !*out)
        return status;
    known_word *more = realloc(cache->words, (cache->n + 1) * sizeof *more);
    if (more)
        cache->words = more;
    char *copy = more ? strdup(word) : NULL;
    if (!copy)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the words of the sweep");
    cache->words[cache->n++] = (known_word){copy, *out};
    return TL_OK;
}

tl_status tlr_sweep_key(tlr_key_cache *cache, const char *const *words, size_t n, uint64_t *out,
                        tl_error *err)
{
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    XXH64_update(&state, tl_version(), strlen(tl_version()));
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = 0;
        tl_status status = look_up(cache, words[i], &hash, err);
        if (status != TL_OK)
            return status;
        XXH64_update(&state, words[i], strlen(words[i]) + 1);
        XXH64_update(&state, &hash, sizeof hash);
    }
    *out = XXH64_digest(&state);
    return TL_OK;
}
