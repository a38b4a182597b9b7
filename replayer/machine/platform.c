/* platform.c - a platform folder: platform.xml, options.conf, model.conf. */
#include "config.h"

#include "replayer.h"

#include "text_file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static int is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* " (NAME, NAME)" of the platforms in a folder, as many as there is room for; "" if there are none.
 */
static void list_platforms(const char *folder, char *text, size_t size)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        char *xml = NULL;
        size_t length = strlen(entries[i]->d_name);
        if (asprintf(&xml, "%s/%s/platform.xml", folder, entries[i]->d_name) >= 0 && is_file(xml) &&
            used + length + 4 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : " (",
                                     entries[i]->d_name);
        free(xml);
        free(entries[i]);
    }
    if (used)
        snprintf(text + used, size - used, ")");
    if (n >= 0)
        free(entries);
}

/* The folder that `name` means: itself if it holds a platform.xml, or the one of that name among
 * the installed platforms. */
static tl_status find_folder(const char *name, char **out, tl_error *err)
{
    const char *installed = getenv("TIMELESS_PLATFORMS");
    if (!installed || !*installed)
        installed = PLATFORMS_FOLDER;
    char *candidates[2] = {strdup(name), strchr(name, '/') ? NULL : join(installed, name)};
    for (int i = 0; i < 2; i++) {
        char *xml = candidates[i] ? join(candidates[i], "platform.xml") : NULL;
        int found = xml && is_file(xml);
        free(xml);
        if (found) {
            *out = candidates[i];
            free(candidates[1 - i]);
            return TL_OK;
        }
    }
    free(candidates[0]);
    free(candidates[1]);
    char names[256];
    list_platforms(installed, names, sizeof names);
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: no platform here, nor one of this name in %s%s; give a folder that holds a "
                   "platform.xml",
                   name, installed, names);
}

/* One "key:value" a line; # starts a comment. */
static tl_status parse_options(tlr_platform *p, const char *path, char *text, tl_error *err)
{
    size_t line_number = 0, room = 0;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line_number++;
        line[strcspn(line, "#")] = '\0';
        while (isspace((unsigned char)*line))
            line++;
        for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]); n--)
            line[n - 1] = '\0';
        if (!*line)
            continue;
        const char *colon = strchr(line, ':');
        if (!colon || colon == line || strpbrk(line, " \t"))
            return tl_fail(err, TL_ERR_INPUT,
                           "%s:%zu: '%s' is not an option; write key:value, one a line", path,
                           line_number, line);
        if (p->n_options == room) {
            room = room ? 2 * room : 8;
            char **more = realloc(p->options, room * sizeof *more);
            if (!more)
                return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
            p->options = more;
        }
        if (!(p->options[p->n_options] = strdup(line)))
            return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
        p->n_options++;
    }
    return TL_OK;
}

/* Adds a file's name, length and bytes to the hash, so that no byte can move from one to another.
 */
static void hash_file(XXH64_state_t *state, const char *name, const char *text, size_t size)
{
    uint64_t length = size;
    XXH64_update(state, name, strlen(name) + 1);
    XXH64_update(state, &length, sizeof length);
    XXH64_update(state, text, size);
}

tl_status tlr_platform_load(const char *name, tlr_platform **out, tl_error *err)
{
    char *options_path = NULL, *model_path = NULL, *text = NULL;
    size_t size = 0;
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    tl_status status;
    tlr_platform *p = calloc(1, sizeof *p);
    if (!p)
        return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", name);
    if ((status = find_folder(name, &p->folder, err)) != TL_OK)
        goto cleanup;
    p->xml_path = join(p->folder, "platform.xml");
    options_path = join(p->folder, "options.conf");
    model_path = join(p->folder, "model.conf");
    if (!p->xml_path || !options_path || !model_path) {
        status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", name);
        goto cleanup;
    }
    if ((status = tlr_read_text(p->xml_path, &text, &size, err)) != TL_OK)
        goto cleanup;
    hash_file(&state, "platform.xml", text, size);
    if (is_file(options_path)) {
        free(text);
        text = NULL;
        if ((status = tlr_read_text(options_path, &text, &size, err)) != TL_OK)
            goto cleanup;
        hash_file(&state, "options.conf", text, size);
        if ((status = parse_options(p, options_path, text, err)) != TL_OK)
            goto cleanup;
    }
    if (is_file(model_path)) {
        free(text);
        text = NULL;
        if ((status = tlr_read_text(model_path, &text, &size, err)) != TL_OK ||
            (status = tlr_model_load(model_path, &p->model, err)) != TL_OK)
            goto cleanup;
        hash_file(&state, "model.conf", text, size);
    }
    p->hash = XXH64_digest(&state);
    *out = p;
    p = NULL;
cleanup:
    free(text);
    free(options_path);
    free(model_path);
    tlr_platform_free(p);
    return status;
}

void tlr_platform_free(tlr_platform *platform)
{
    if (!platform)
        return;
    for (size_t i = 0; i < platform->n_options; i++)
        free(platform->options[i]);
    free(platform->options);
    tlr_model_free(platform->model);
    free(platform->xml_path);
    free(platform->folder);
    free(platform);
}
