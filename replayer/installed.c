/* installed.c - finds the parts of Timeless. */
#include "config.h"

#include "installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = {
    [TLR_PLACE_LIBRARIES] = PKGLIBDIR,
    [TLR_PLACE_PROGRAMS] = PKGLIBEXECDIR,
    [TLR_PLACE_DATA] = PKGDATADIR,
};

/* The folder of the running program, without links; "" if the system does not report it. */
static void find_program(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

/* Whether FOLDER/PLACE/NAME exists. If it does, it becomes `path`, without links and "..". */
static int take(const char *folder, const char *place, const char *name, char *path, size_t size)
{
    char real[PATH_MAX], candidate[3 * PATH_MAX];
    snprintf(candidate, sizeof candidate, "%s%s/%s", folder, place, name);
    return realpath(candidate, real) && (size_t)snprintf(path, size, "%s", real) < size;
}

/* `place` relative to `folder`, which is the present place of BINDIR. */
static int find_moved(const char *folder, const char *place, const char *name, char *path,
                      size_t size)
{
    const char *from = BINDIR;
    char top[2 * PATH_MAX];
    size_t same = 0;
    for (size_t i = 0; from[i] == place[i] || (!from[i] && place[i] == '/'); i++) {
        if (place[i] == '/' || !place[i])
            same = i;
        if (!from[i] || !place[i])
            break;
    }
    size_t used = (size_t)snprintf(top, sizeof top, "%s", folder);
    for (const char *rest = from + same; *rest; rest++)
        if (*rest == '/' && rest[1] && used + 4 < sizeof top)
            used += (size_t)snprintf(top + used, sizeof top - used, "/..");
    return take(top, place + same, name, path, size);
}

static int find_in_build_tree(char *folder, const char *built, const char *name, char *path,
                              size_t size)
{
    char place[PATH_MAX];
    for (int i = 0; i < 3; i++) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder)
            return 0;
        *slash = '\0';
        snprintf(place, sizeof place, "/%s", built);
        if (take(folder, place, name, path, size))
            return 1;
    }
    return 0;
}

int tlr_installed(tlr_place place, const char *name, const char *built, char *path, size_t size)
{
    char folder[PATH_MAX];
    find_program(folder, sizeof folder);
    if (*folder && find_moved(folder, places[place], name, path, size))
        return 1;
    if (*folder && built && find_in_build_tree(folder, built, name, path, size))
        return 1;
    if (take("", places[place], name, path, size))
        return 1;
    snprintf(path, size, "%s/%s", places[place], name);
    return 0;
}

void tlr_platforms_folder(char *path, size_t size)
{
    const char *given = getenv("TIMELESS_PLATFORMS");
    if (given && *given)
        snprintf(path, size, "%s", given);
    else
        tlr_installed(TLR_PLACE_DATA, "platforms", NULL, path, size);
}
