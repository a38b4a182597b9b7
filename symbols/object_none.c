/* object_none.c - the object files of a build without libdw: nothing is found. */
#include "object.h"

tls_file *tls_file_open(const tl_object *object, tls_lack *lack)
{
    (void)object;
    *lack = TLS_NO_LIBDW;
    return NULL;
}

void tls_file_close(tls_file *file)
{
    (void)file;
}

uint32_t tls_file_find(tls_file *file, uint64_t offset, tl_source sources[TL_MAX_SOURCES])
{
    (void)file;
    (void)offset;
    (void)sources;
    return 0;
}
