/* comms.h - communicators, windows and open files by handle: id, sizes, own rank. */
#ifndef TLT_COMMS_H
#define TLT_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmpi.h"
#include "timeless.h"

typedef struct tlt_comm {
    const void *handle;
    uint32_t id;
    int size;
    int rank;
    bool is_inter;
    int n_peers; /* ranks in the group whose numbers calls give: the other one's if is_inter */
    int n_sources, n_destinations; /* neighbours in a topology */
} tlt_comm;

/* Forgets all communicators but WORLD and SELF.  False when memory is short. */
bool tlt_comms_reset(void);
void tlt_comms_free(void);

/* NULL for what is not recorded: made by an opaque call.  Valid until the next define. */
const tlt_comm *tlt_comm_find(const void *handle);

/* Defines what `call` made from `parent`; returns its id.  TL_COMM_NULL for null handles and for
 * what is not recorded.  `like` is asked for its members: the communicator itself, or where it is
 * not complete yet, the one that it is a duplicate of. `tag`: NULL if the call has none. */
uint32_t tlt_comm_define(MPI_Comm handle, MPI_Comm like, uint32_t parent, uint16_t call,
                         const int *tag);
uint32_t tlt_win_define(MPI_Win handle, uint32_t parent, uint16_t call);
uint32_t tlt_file_define(MPI_File handle, uint32_t parent, uint16_t call, const char *name);
void tlt_comm_remove(const void *handle);

/* Makes the ranks of a group, as the window numbers them, the event's list. */
void tlt_list_group(tl_event *e, MPI_Group group, MPI_Win win);

#endif
