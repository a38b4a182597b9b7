/* scenario_key.c - a hash of everything on which the result of a replay depends. */
#include "config.h"

#include "batch.h"
#include "machine/noise.h"
#include "text_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef tl_status hash_function(const char *name, uint64_t *out, tl_error *err);

typedef struct known_file {
    hash_function *hash_of;
    char *name;
    uint64_t hash;
} known_file;

struct tlr_key_cache {
    size_t n;
    known_file *files;
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
        free(cache->files[i].name);
    free(cache->files);
    free(cache);
}

static tl_status hash_trace(const char *path, uint64_t *out, tl_error *err)
{
    tl_reader *reader = NULL;
    tl_status status = tlr_source_open(path, &reader, err);
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

/* 0 if the text names no file, because then it is enough itself. */
static tl_status hash_file(const char *path, uint64_t *out, tl_error *err)
{
    struct stat about;
    *out = 0;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? tlr_hash_file(path, out, err)
                                                             : TL_OK;
}

/* The file of "FILE", "FILE,coscheduled", or of a system that the platforms know by name. */
static tl_status hash_noise(const char *value, uint64_t *out, tl_error *err)
{
    char path[2 * PATH_MAX];
    char *name = strndup(value, strcspn(value, ","));
    if (!name)
        return tl_no_memory(err, "keys of replays");
    tlr_noise_find(name, path, sizeof path);
    free(name);
    return hash_file(path, out, err);
}

/* A key while it is made. */
typedef struct making {
    tlr_key_cache *cache;
    XXH64_state_t state;
    tl_error *err;
} making;

/* Names of no file are not kept, because there are as many as values. */
static tl_status look_up(const making *m, const char *name, hash_function *hash_of, uint64_t *out)
{
    tlr_key_cache *cache = m->cache;
    for (size_t i = 0; i < cache->n; i++)
        if (cache->files[i].hash_of == hash_of && !strcmp(cache->files[i].name, name)) {
            *out = cache->files[i].hash;
            return TL_OK;
        }
    const tl_status status = hash_of(name, out, m->err);
    if (status != TL_OK || !*out)
        return status;
    known_file *more = reallocarray(cache->files, cache->n + 1, sizeof *more);
    if (more)
        cache->files = more;
    char *copy = more ? strdup(name) : NULL;
    if (!copy)
        return tl_no_memory(m->err, "keys of replays");
    cache->files[cache->n++] = (known_file){hash_of, copy, *out};
    return TL_OK;
}

/* Adds a name and the contents of what it names; NULL: nothing. */
static tl_status add(making *m, tl_status status, const char *name, hash_function *hash_of)
{
    uint64_t hash = 0;
    if (status != TL_OK || !name)
        return status;
    status = look_up(m, name, hash_of, &hash);
    XXH64_update(&m->state, name, strlen(name) + 1);
    XXH64_update(&m->state, &hash, sizeof hash);
    return status;
}

tl_status tlr_scenario_key(tlr_key_cache *cache, const tlr_scenario *s, uint64_t *out,
                           tl_error *err)
{
    making m = {.cache = cache, .err = err};
    tl_status status = TL_OK;
    XXH64_reset(&m.state, 0);
    XXH64_update(&m.state, tl_version(), strlen(tl_version()));
    XXH64_update(&m.state, s->text, strlen(s->text) + 1);
    for (size_t i = 0; i < s->n_sources; i++) {
        XXH64_update(&m.state, &s->sources[i].start_s, sizeof s->sources[i].start_s);
        status = add(&m, status, s->sources[i].path, hash_trace);
    }
    status = add(&m, status, s->platform, hash_platform);
    status = add(&m, status, s->options.model_path, hash_file);
    status = add(&m, status, s->options.noise, hash_noise);
    for (size_t i = 0; i < s->n_hostfiles; i++)
        status = add(&m, status, s->hostfiles[i], hash_file);
    for (size_t i = 0; i < s->options.n_params_changes; i++) {
        const tlr_params_change *c = &s->params_changes[i];
        XXH64_update(&m.state, &c->letter, sizeof c->letter);
        XXH64_update(&m.state, &c->is_factor, sizeof c->is_factor);
        XXH64_update(&m.state, &c->value, sizeof c->value);
    }
    /* A schedule, or another file: "smpi/alltoall:ring.sched". */
    for (size_t i = 0; i < s->options.n_cfg; i++)
        status = add(&m, status, strchr(s->cfg[i], ':') + 1, hash_file);
    *out = XXH64_digest(&m.state);
    return status;
}
