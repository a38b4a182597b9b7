/* archive.h - the archive of a calibration: a folder with all measurements and the machine, from
 * which the result can be made again.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_ARCHIVE_H
#define TLP_ARCHIVE_H

#include <stdbool.h>
#include <stdio.h>

#include <timeless.h>
#include <timeless_files.h>

#include "repetitions.h"

typedef struct tlp_archive tlp_archive;

/* Begins an archive before anything is measured: keeps the moment, the command, versions, the
 * environment and the present state of the machine. path: the folder, which tlp_archive_finish
 * makes; if it ends with '/' or exists, the archive is in it and called WHAT-MOMENT. what:
 * "network", ... */
tl_status tlp_archive_begin(const char *path, const char *what, int argc, char *const *argv,
                            tlp_archive **out, tl_error *err);
/* Adds a line "name: value" to calibration.txt, such as the seed. */
void tlp_archive_note(tlp_archive *archive, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a file as an entry. The file must exist until the archive is finished. */
tl_status tlp_archive_add_file(tlp_archive *archive, const char *entry, const char *path,
                               tl_error *err);
/* Adds a file of measurements that tlp_open_raw can open. */
tl_status tlp_archive_add_raw(tlp_archive *archive, const char *entry, const char *path,
                              tl_error *err);
/* Adds an entry that `write` writes. */
tl_status tlp_archive_add(tlp_archive *archive, const char *entry, tl_writing write,
                          const void *arg, tl_error *err);
/* To be called after measuring and fitting: adds the state of the machine and, if there are
 * repetitions, these with their categories and the fingerprint; writes the folder. If that fails,
 * it removes what it has written. */
tl_status tlp_archive_finish(tlp_archive *archive, tlp_repetition_list *repetitions, tl_error *err);
/* Frees an archive. Before tlp_archive_finish, no file is written. */
void tlp_archive_free(tlp_archive *archive);

/* Opens a file of measurements for reading; in an archive, this one. */
tl_status tlp_open_raw(const char *path, const char *entry, FILE **out, tl_error *err);
/* Writes what is left in the stream `in` (tl_writing). */
tl_status tlp_copy_stream(const void *in, FILE *out, tl_error *err);
/* A file of a folder: opened for reading, or NULL; written (tl_output_write). */
FILE *tlp_open_in(const char *folder, const char *name, tl_error *err);
tl_status tlp_write_in(const char *folder, const char *name, tl_writing write, const void *arg,
                       tl_error *err);
/* Whether the path is that of an archive. */
bool tlp_is_archive(const char *path);

#endif
