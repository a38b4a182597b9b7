/* temporary.c - where temporary files stand, and how they are made. */
#include "config.h"

#include "core/error.h"
#include "timeless_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

const char *tl_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

tl_status tl_temporary_file(const char *purpose, char **path, int *fd, tl_error *err)
{
    char *name = NULL;
    *path = NULL;
    *fd = -1;
    if (asprintf(&name, "%s/timeless-%s-XXXXXX", tl_temporary_folder(), purpose) < 0)
        return tl_no_memory(err, "name of a temporary file");
    *fd = mkostemp(name, O_CLOEXEC);
    if (*fd < 0) {
        const tl_status status = tl_fail(
            err, TL_ERR_SYSTEM, "%s: cannot be written: %s; set TMPDIR to a folder with room", name,
            strerror(errno));
        free(name);
        return status;
    }
    *path = name;
    return TL_OK;
}
