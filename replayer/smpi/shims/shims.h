/* shims.h - the interface of the functions that replace SimGrid's own ones, for the rest of the
 * SMPI engine and among each other. table.h lists all of them. */
#ifndef TLR_SMPI_SHIMS_H
#define TLR_SMPI_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <simgrid/host.h>
#include <simgrid/link.h>
#include <smpi/mpi.h>

#include "machine/segments.h"
#include "smpi/hash.h"
#include "table.h"

/* A function that replaces the function of libsimgrid with this name of the C++ ABI, and often
 * calls it: symbols are looked up in the module first (replayer/module.c). */
#define SMPI_REPLACES(name) __asm__(name) __attribute__((visibility("default")))
/* A function or variable of libsimgrid that its headers do not declare; NULL if it has none of this
 * name. */
#define SMPI_THEIRS(name) __asm__(name) __attribute__((weak))
/* The replaced function, in a static pointer; <dlfcn.h>. */
#define SMPI_BEHIND(function, name)                                                                \
    do {                                                                                           \
        if (!(function))                                                                           \
            *(void **)&(function) = dlsym(RTLD_NEXT, name);                                        \
    } while (0)

/* The object that this thread allocated last, if it was a small one; NULL before the first. */
const void *smpi_memory_last(void);

/* C++'s operators new and delete. */
void *smpi_memory_new(size_t bytes) __asm__(SG_NEW);
void smpi_memory_delete(void *memory) __asm__(SG_DELETE);

/* To be called once, by a rank in replay mode: makes the buffers that collectives share. */
void smpi_memory_share(void);

/* SimGrid's Comm::init_smp: finds which ranks of a communicator share a host. */
void smpi_find_neighbours(MPI_Comm comm) SMPI_REPLACES(SG_INIT_SMP);
/* The communicator in which this rank is doing so, or MPI_COMM_NULL. */
MPI_Comm smpi_looks_in(void);

/* Between these two calls, broadcasts, barriers and allgathers of SMPI take no simulated time, nor
 * does smpi_find_neighbours. */
void smpi_meet_begin(void);
void smpi_meet_end(void);

/* The communicator forgets this rank's window, or knows it again. */
void smpi_windows_hide(MPI_Comm comm, MPI_Win window);
void smpi_windows_show(MPI_Comm comm, MPI_Win window);
/* A barrier that asks no windows. */
int smpi_windows_barrier(MPI_Comm comm);

/* To be called before the simulation begins, with its number of ranks. */
void smpi_detached_prepare(uint32_t n_ranks);

/* Between these two calls, each receive of the calling rank that SMPI makes for a nonblocking
 * collective has room for at least so many bytes (receive.c). */
void smpi_receive_begin(int64_t least_bytes);
void smpi_receive_end(void);

/* The options timeless/NAME, as engine.c reads them; 0 or without segments: not given. */
typedef struct smpi_own_options {
    bool local_overheads, host_messages, eager_order, bw_factor_bound;
    double adapter_order, send_buffer, limiter_from; /* bytes */
    double memory_bandwidth;                         /* bytes/s */
    double overheads_factor;                         /* of --scale overheads, within a host */
    tlr_segments loopback_os, loopback_ois, loopback_or;
    tlr_segments loopback_bw_factor, loopback_lat_factor;
} smpi_own_options;
extern smpi_own_options smpi_own;

/* Unless messages within a host have overheads of their own, or none: they have these, and a longer
 * message never has less than a shorter one. */
void smpi_overheads_continue(const char *os, const char *ois, const char * or);
/* What the cores spend on a long message besides its copy: returns that of the sender. */
double smpi_overheads_of_copy(double bytes, double *receive_s);
/* Reads factors, of bandwidths or of latencies; ends the process on failure. */
void smpi_read_factors(const char *option, const char *text, bool are_of_bandwidth,
                       tlr_segments *out);
/* Whether loopback.c reads an option of SMPI, which must then not be given to SimGrid. */
int smpi_loopback_takes(const char *option);
/* To be called when the platform is loaded. */
void smpi_loopback_apply(void);
/* The bound of the message that is about to begin. */
double smpi_loopback_bound(double bytes_per_s);
/* The bytes of the message that is about to begin, with SMPI's envelope; to be called when the
 * platform is loaded. */
void smpi_limiter_message(double bytes);
void smpi_limiter_apply(void);
/* To be called when SimGrid has its options. */
typedef void smpi_expand(void *system, void *constraint, void *variable, double weight,
                         bool is_forced);
void smpi_copies_prepare(void);
/* Whether a message of so many bytes waits for its receiver, and messages share memory. */
bool smpi_copies_is_long(double bytes);
/* The factor of bandwidth of the message that begins, whose route has the bandwidth Bps. host:
 * NULL unless it stays within this host. */
double smpi_copies_message(const void *host, double bytes, double factor, double Bps,
                           bool is_bound);
/* How many more constraints a message may have; adds it to them. */
size_t smpi_copies_room(void);
void smpi_copies_expand(void *system, void *variable, smpi_expand *expand);
/* The noise of messages (noise.c): whether the options ask for it; to be called before the options
 * are read. */
bool smpi_noise_is_wanted(void);
void smpi_noise_prepare(void);
/* SimGrid's object of a process sends a message to the process of this number; has done so. */
void smpi_noise_send(const void *actor, long to, double bytes);
void smpi_noise_sent(void);
/* SimGrid's object of a communication may begin between these two. */
void smpi_noise_begin(const void *comm);
void smpi_noise_end(const void *comm);
/* The factor of the message that begins; 1 without noise. */
double smpi_noise_factor(bool is_local);
/* The processes that send and receive the message that begins; 0 if they are unknown. */
int smpi_noise_ends(long *from, long *to);
/* The next MPI_Isend takes no time; *is_local is set to whether it goes to the same host. NULL: it
 * takes its usual time. */
void smpi_overheads_skip(bool *is_local);
void smpi_order_prepare(void);
/* The request of the long message that is being sent, or NULL. */
const void *smpi_order_sending(void);
void smpi_buffer_prepare(void);
/* The flow of the message that begins, and the end of a message. */
void smpi_buffer_flow(void *action);
void smpi_buffer_finish(const void *comm);
void smpi_numbers_prepare(void);
void smpi_routes_prepare(uint32_t n_ranks);
/* From here on the ranks make only the calls of their traces. */
void smpi_shortcuts_take(void);
/* SMPI's object `comm` belongs to one rank of the communicator that the address `same` represents.
 */
void smpi_numbers_share(const void *comm, const void *same);

/* Called after each step of simulated time, unless it is NULL. */
extern void (*smpi_clock_watcher)(double took_s);
/* Called for each message that a process sends, unless it is NULL: SimGrid's object of the sender,
 * the number of the receiving process, the bytes of the message. */
extern void (*smpi_send_watcher)(const void *sender, long receiver, double bytes);

/* A rank as a process of SimGrid. */
typedef struct smpi_sender {
    smpi_entry of_actor, of_pid;
    const struct smpi_rank *rank;
    sg_host_t host;
    long pid;
    uint64_t n_sent; /* noise.c */
} smpi_sender;

/* To be called by each rank. */
void smpi_senders_join(const struct smpi_rank *rank);
/* By SimGrid's object of the process, and by its number; NULL: it is no rank. */
smpi_sender *smpi_sender_of(const void *actor);
const smpi_sender *smpi_sender_by_pid(long pid);
/* Bytes per second on the link during the last step. */
double smpi_link_use(const_sg_link_t link) SMPI_THEIRS(SG_LINK_USE);
/* The links of the route between two hosts, *n of them; the caller frees them. */
const_sg_link_t *smpi_route_links(const_sg_host_t from, const_sg_host_t to, size_t *n);
/* NULL if the link has no such property. */
const char *smpi_link_property(const_sg_link_t link, const char *name);

#endif
