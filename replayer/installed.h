/* installed.h - finds the parts of Timeless, beginning at the program that runs.
 *
 * An installed tree may be moved as a whole. Its folders are searched relative to the program
 * first, and then where `make install` put them. */
#ifndef TLR_INSTALLED_H
#define TLR_INSTALLED_H

#include <stddef.h>

/* The folders of: modules, tracer and plugins; programs that other programs start; data. */
typedef enum tlr_place { TLR_PLACE_LIBRARIES, TLR_PLACE_PROGRAMS, TLR_PLACE_DATA } tlr_place;

/* The path of an entry of a place. `built` is the folder of the entry in a build tree, relative to
 * the root of the tree, or NULL; the running program is up to three folders below that root.
 * Returns 1 if the entry exists; otherwise 0, and the path is where `make install` puts the entry.
 */
int tlr_installed(tlr_place place, const char *name, const char *built, char *path, size_t size);

/* The folder of the platforms: $TIMELESS_PLATFORMS, or the installed one. */
void tlr_platforms_folder(char *path, size_t size);

#endif
