/* archive.h - what a calibration leaves behind: one zip with all that it measured and on what, from
 * which its result can be made again.
 *
 * Status, errors and ownership follow the conventions of timeless.h.
 */
#ifndef TLP_ARCHIVE_H
#define TLP_ARCHIVE_H

#include <stdio.h>

#include <timeless.h>

#include "repetitions.h"

typedef struct tlp_archive tlp_archive;

/* Begins an archive before anything is measured: notes the moment, the command, versions, the
 * environment and the machine as it is now.  path: of the zip, which is written by
 * tlp_archive_finish; one that ends with '/' is a folder, in which it is called
 * WHAT-MOMENT.zip.  what: "network", ... */
tl_status tlp_archive_begin(const char *path, const char *what, int argc, char *const *argv,
                            tlp_archive **out, tl_error *err);
/* A line "name: value" of calibration.txt, such as the seed. */
void tlp_archive_note(tlp_archive *archive, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The file as an entry; it must stay until the archive is finished. */
tl_status tlp_archive_add_file(tlp_archive *archive, const char *entry, const char *path,
                               tl_error *err);
/* The same of measurements that tlp_open_raw reads. */
tl_status tlp_archive_add_raw(tlp_archive *archive, const char *entry, const char *path,
                              tl_error *err);
/* An entry to be written to; NULL: out of memory.  Close it by tlp_archive_close. */
FILE *tlp_archive_open(tlp_archive *archive);
tl_status tlp_archive_close(tlp_archive *archive, FILE *file, const char *entry, tl_error *err);
/* After measuring and fitting: adds the machine as it is then, the repetitions with their
 * categories and the fingerprint, and writes the zip. */
tl_status tlp_archive_finish(tlp_archive *archive, tlp_repetition_list *repetitions, tl_error *err);
const char *tlp_archive_path(const tlp_archive *archive);
/* An archive that is not finished leaves nothing. */
void tlp_archive_free(tlp_archive *archive);

/* Opens a file of measurements for reading, or, if it is an archive, this entry of it. */
tl_status tlp_open_raw(const char *path, const char *entry, FILE **out, tl_error *err);
/* 1: the file is an archive. */
int tlp_is_archive(const char *path);

#endif
