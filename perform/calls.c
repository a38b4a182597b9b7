/* calls.c - the MPI calls that follow from their row in mpi_calls.def. */
#include "config.h"

#include "measure.h"
#include "performer.h"

#include <core/row_parameters.h>

#if MPI_VERSION < 4 && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

/* The value of each kind of parameter; `p` is the performer, `e` its event, `r` the request that
 * the call starts. */
#define VALUE(parameter) VALUE_##parameter
#define VALUE_SBUF(x) p->send_argument
#define VALUE_RBUF(x) p->receive_argument
#define VALUE_COUNT(x) (int)e->count
#define VALUE_TYPE(x) perform_type_of(p, e->type_bytes)
#define VALUE_RCOUNT(x) (int)e->recv_count
#define VALUE_RTYPE(x) perform_type_of(p, e->recv_type_bytes)
#define VALUE_COUNTS(x) r->counts
#define VALUE_RCOUNTS(x) (r->counts + p->n_sent_counts)
#define VALUE_DISPLS(x) VALUE_DISPLS_##x
#define VALUE_DISPLS_displs r->displs
#define VALUE_DISPLS_sdispls r->displs
#define VALUE_DISPLS_rdispls (r->displs + p->n_sent_counts)
#define VALUE_ADISPLS(x) VALUE_ADISPLS_##x
#define VALUE_ADISPLS_sdispls r->addresses
#define VALUE_ADISPLS_rdispls (r->addresses + p->n_sent_counts)
#define VALUE_TYPES(x) r->types
#define VALUE_RTYPES(x) (r->types + p->n_sent_counts)
#define VALUE_DEST(x) perform_peer(e->peer)
#define VALUE_ROOT(x) perform_peer(e->peer)
#define VALUE_SRC(x) p->source
#define VALUE_TAG(x) p->tag
#define VALUE_OP(x) perform_op_of(p)
#define VALUE_RMAOP(x) perform_accumulate_of(p)
#define VALUE_COMM(x) p->objects[e->comm].comm
#define VALUE_WIN(x) p->objects[e->comm].win
#define VALUE_MODE(x) p->tag
#define VALUE_LOCK(x) (e->flags & TL_EXCLUSIVE ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED)
#define VALUE_GROUP(x) p->made.group
#define VALUE_FETCH(x) perform_type_of(p, e->recv_type_bytes)
#define VALUE_TCOUNT(x) (int)(e->count ? e->count : e->recv_count)
#define VALUE_UNIT(x) 1
#define VALUE_REQ(x) &r->handle
#define VALUE_NEWCOMM(x) &p->objects[e->new_comm].comm
#define VALUE_NEWTAG(x) p->made.tag
#define VALUE_NEWWIN(x) &p->objects[e->new_comm].win
#define VALUE_ARG(t, x) VALUE_ARG_##x
#define VALUE_ARG_info MPI_INFO_NULL
#define VALUE_ARG_origin_addr p->sent
#define VALUE_ARG_result_addr p->received
#define VALUE_ARG_target_disp 0
#define VALUE_ARG_target_datatype                                                                  \
    perform_type_of(p, e->type_bytes ? e->type_bytes : e->recv_type_bytes)
#define VALUE_ARG_op perform_accumulate_of(p)
#define VALUE_ARG_base p->made.memory
#define VALUE_ARG_baseptr &p->made.memory
#define VALUE_ARG_size p->made.size
#define VALUE_ARG_color p->made.color
#define VALUE_ARG_key p->made.key
#define VALUE_ARG_split_type MPI_COMM_TYPE_SHARED
#define VALUE_ARG_group p->made.group
#define VALUE_ARG_ndims p->made.n_dims
#define VALUE_ARG_dims p->made.dims
#define VALUE_ARG_periods p->made.periods
#define VALUE_ARG_remain_dims p->made.dims
#define VALUE_ARG_reorder 0
#define VALUE_ARG_nnodes p->made.n_nodes
#define VALUE_ARG_index p->made.index
#define VALUE_ARG_edges p->made.edges
#define VALUE_ARG_n 0
#define VALUE_ARG_sources p->made.sources
#define VALUE_ARG_degrees NULL
#define VALUE_ARG_destinations p->made.destinations
#define VALUE_ARG_weights MPI_UNWEIGHTED
#define VALUE_ARG_indegree p->made.indegree
#define VALUE_ARG_sourceweights MPI_UNWEIGHTED
#define VALUE_ARG_outdegree p->made.outdegree
#define VALUE_ARG_destweights MPI_UNWEIGHTED
#define VALUE_ARG_bridge_comm MPI_COMM_WORLD
#define VALUE_ARG_remote_leader p->made.remote_leader
#define VALUE_ARG_high p->made.high
/* Of files: no trace with such calls is performed (check.c). */
#define VALUE_FILE(x) MPI_FILE_NULL
#define VALUE_NEWFILE(x) NULL
#define VALUE_NAME(x) NULL
#define VALUE_BYTES(x) e->count
#define VALUE_STATUS(x) MPI_STATUS_IGNORE
#define VALUE_ARG_buf p->received
#define VALUE_ARG_offset 0
#define VALUE_ARG_whence MPI_SEEK_SET
#define VALUE_ARG_disp 0
#define VALUE_ARG_etype MPI_BYTE
#define VALUE_ARG_filetype MPI_BYTE

/* A row of MPI 4 is made under the name that the library has for it, if any; those that are opaque
 * have no value for their arguments. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_ROWS_OF_MPI_4 1 /* Open MPI 5.0 declares MPI 3.1, but has them */
#endif
#define SECOND(a, b, ...) b
#define FIND(...) SECOND(__VA_ARGS__)
#define IF_OPAQUE ~, OPAQUE
#ifndef HAS_ROWS_OF_MPI_4
#define IF_COMM_DUP ~, OPAQUE /* MPI_Comm_idup_with_info, which no MPI 3 has under another name */
#endif
#define PASTE_KIND(x) IF_##x
#define KIND_OF(action) FIND(PASTE_KIND(action), MADE, ~)
#define JOIN_EXTENSION(kind) EXTENSION_##kind
#define EXTENSION(kind) JOIN_EXTENSION(kind)
#define EXTENSION_OPAQUE(...)
#ifdef HAS_ROWS_OF_MPI_4
#define EXTENSION_MADE(code, name, ...)                                                            \
    case code:                                                                                     \
        return MPI_##name(LIST(VALUE, __VA_ARGS__));
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define EXTENSION_MADE(code, name, ...)                                                            \
    case code:                                                                                     \
        return MPIX_##name(LIST(VALUE, __VA_ARGS__));
#else
#define EXTENSION_MADE(...)
#endif

int perform_row(performer *p)
{
    const tl_event *e = &p->event;
    const tl_call_info *info = tl_call_by_code(e->call);
    perform_request *r = perform_request_of(p, info->traits & TL_TRAIT_NB ? e->request : 0);
    const uint16_t call = perform_prepare_object(p);
    if (p->measure)
        perform_measure_before(p);
    switch (call) {
#define TL_CALL(code, name, action, traits, ...)                                                   \
    case code:                                                                                     \
        return MPI_##name(LIST(VALUE, __VA_ARGS__));
#define TL_EXTENSION(code, name, action, traits, ...)                                              \
    EXTENSION(KIND_OF(action))(code, name, __VA_ARGS__)
#include <mpi_calls.def>
    default:
        perform_give_up(p, "this MPI library has no %s; perform the trace with one that has it",
                        info->name);
    }
}
