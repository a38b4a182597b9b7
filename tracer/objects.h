/* objects.h - the object files of the call sites. */
#ifndef TLT_OBJECTS_H
#define TLT_OBJECTS_H

struct link_map;

/* Defines an object file in the trace, once: its name, its path and its build ID. `begin` is where
 * it is loaded. */
void tlt_define_object(const void *begin, const struct link_map *map, const char *name);
void tlt_objects_reset(void);

#endif
