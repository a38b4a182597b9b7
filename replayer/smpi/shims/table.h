/* table.h - all that Timeless knows of SimGrid's inside: one row for each part that rests on
 * functions of libsimgrid which are not in its headers, one for each of these functions.
 *
 * Symbols of libsimgrid are looked up in the module first (replayer/module.c), so a function of
 * ours with the same name takes the place of theirs.  It is *bound* if libsimgrid calls it through
 * a table of the loader, and the loader finds ours there: table.c looks at both when the engine
 * starts. Another version of SimGrid may inline the function or give it other arguments, and
 * thereby another name; another library may be preloaded.
 *
 * A part *holds* if SimGrid's version is one of those with which it was tried, and all of its
 * functions are bound.  Otherwise its functions call theirs, and
 *   - a part of kind SPEED is skipped: the results are the same, the replay takes longer;
 *   - a part of kind MODEL is missed: what rests on it fails, with a message. */
#ifndef TLR_SMPI_TABLE_H
#define TLR_SMPI_TABLE_H

#include <xbt/base.h>
/* Requires the row above. */
#include <simgrid/version.h>

enum { SMPI_ANY_VERSION = 99999 };
enum { SMPI_SPEED, SMPI_MODEL };

/* SHIM(part, kind, first version, last version): 332 is 3.32.  Its file, and what rests on it:
 *   MEMORY     memory.c      operators new and delete, for DETACHED, and for buffers of collectives
 *                            that SimGrid frees while ranks use them
 *   DETACHED   detached.c    eager messages under way
 *   NUMBERS    numbers.c     numbers of messages between two ranks
 *   ROUTES     routes.c      routes between hosts
 *   SHORTCUTS  shortcuts.c   what SMPI asks itself
 *   TIMERS     shortcuts.c   clocks whose answer is ignored, and stacks that nobody reads
 *   WAITALL    waitall.c     waits for thousands of requests
 *   MAILBOX    mailbox.c     long queues of messages that wait for their receives
 *   CONTENTS   contents.c    what messages of collectives contain
 *   MEET       meet.c        replays begin at second 0
 *   NEIGHBOURS meet.c        collectives that know the hosts from the start, with CONTENTS; without
 *                            it, as with timeless/host-messages:yes
 *   RECEIVE    receive.c     nonblocking collectives of different sizes that are open together;
 *                            without it, ranks may wait forever
 *   WINDOWS    windows.c     windows that a barrier asks; without it, ranks that reach a window at
 *                            the same date may come in another order
 *   OVERHEADS  overheads.c   options timeless/local-overheads, timeless/loopback-os, -ois, -or
 *   ORDER      order.c       options timeless/eager-order, timeless/adapter-order
 *   BUFFER     buffer.c      option timeless/send-buffer
 *   LOOPBACK   loopback.c    options timeless/loopback-bw-factor, timeless/loopback-lat-factor;
 *                            --noise network, with ORDER and BUFFER
 *   LIMITER    limiter.c     option timeless/limiter-from, with LOOPBACK
 *   COPIES     copies.c      option timeless/memory-bandwidth, with LOOPBACK, LIMITER, ORDER,
 * BUFFER ALGORITHMS algorithms.c  selectors that choose an algorithm which does not serve the ranks
 *   LINKS      links.c       --links, --energy
 *   PAYLOAD    order.c       --links: the bytes of messages on the links
 * Tests: tests/cli/module.sh sees that libsimgrid calls each function here, and what happens where
 * it does not.  That SPEED changes no result is what tests/mpi/oracle.sh,
 * tests/bench/replay_speed.sh and tests/cli/module.sh see; what MODEL changes, tests/cli/module.sh,
 * eager_order.sh, send_buffer.sh and usage.sh. */
#define SMPI_SHIMS(SHIM)                                                                           \
    SHIM(MEMORY, SMPI_SPEED, 0, SMPI_ANY_VERSION)                                                  \
    SHIM(DETACHED, SMPI_SPEED, 332, 332)                                                           \
    SHIM(NUMBERS, SMPI_SPEED, 332, 332)                                                            \
    SHIM(ROUTES, SMPI_SPEED, 332, 332)                                                             \
    SHIM(SHORTCUTS, SMPI_SPEED, 332, 332)                                                          \
    SHIM(TIMERS, SMPI_SPEED, 0, SMPI_ANY_VERSION)                                                  \
    SHIM(WAITALL, SMPI_SPEED, 332, 332)                                                            \
    SHIM(MAILBOX, SMPI_SPEED, 332, 332)                                                            \
    SHIM(CONTENTS, SMPI_SPEED, 332, 332)                                                           \
    SHIM(MEET, SMPI_MODEL, 0, SMPI_ANY_VERSION)                                                    \
    SHIM(NEIGHBOURS, SMPI_MODEL, 332, 332)                                                         \
    SHIM(RECEIVE, SMPI_MODEL, 332, 401)                                                            \
    SHIM(WINDOWS, SMPI_SPEED, 0, SMPI_ANY_VERSION)                                                 \
    SHIM(OVERHEADS, SMPI_MODEL, 332, 401)                                                          \
    SHIM(ORDER, SMPI_MODEL, 332, 401)                                                              \
    SHIM(BUFFER, SMPI_MODEL, 332, 401)                                                             \
    SHIM(LOOPBACK, SMPI_MODEL, 332, 401)                                                           \
    SHIM(LIMITER, SMPI_MODEL, 332, 401)                                                            \
    SHIM(COPIES, SMPI_MODEL, 332, 401)                                                             \
    SHIM(ALGORITHMS, SMPI_MODEL, 332, 401)                                                         \
    SHIM(LINKS, SMPI_MODEL, 0, SMPI_ANY_VERSION)                                                   \
    SHIM(PAYLOAD, SMPI_MODEL, 332, 401)

typedef enum smpi_shim {
#define SHIM(part, kind, first, last) SMPI_SHIM_##part,
    SMPI_SHIMS(SHIM)
#undef SHIM
        SMPI_N_SHIMS
} smpi_shim;

/* Names of the C++ ABI, for the version of SimGrid with which the module is built. */
#define SG_NEW "_Znwm"
#define SG_DELETE "_ZdlPv"
#define SG_DELETE_SIZED "_ZdlPvm"
#define SG_COMM_IMPL "_ZN7simgrid6kernel8activity8CommImpl"
#define SG_COMM_DETACH SG_COMM_IMPL "6detachEv"
#define SG_COMM_FINISH SG_COMM_IMPL "6finishEv"
#define SG_COMM_START SG_COMM_IMPL "5startEv"
#define SG_COMM_ISEND SG_COMM_IMPL "5isendEPNS0_5actor16CommIsendSimcallE"
#define SG_MPI_COMM "_ZN7simgrid4smpi4Comm"
#define SG_SENT SG_MPI_COMM "23get_sent_messages_countEiii"
#define SG_COUNT_SENT SG_MPI_COMM "29increment_sent_messages_countEiii"
#define SG_RECEIVED SG_MPI_COMM "27get_received_messages_countEiii"
#define SG_COUNT_RECEIVED SG_MPI_COMM "33increment_received_messages_countEiii"
#define SG_ADD_WINDOW SG_MPI_COMM "11add_rma_winEPNS0_3WinE"
#define SG_REMOVE_WINDOW SG_MPI_COMM "14remove_rma_winEPNS0_3WinE"
#define SG_FIND_ROUTE                                                                              \
    "_ZN7simgrid6kernel7routing11NetZoneImpl30get_global_route_with_netzonesEPKNS1_"               \
    "8NetPointES5_RSt6vectorIPNS0_8resource16StandardLinkImplESaIS9_EEPdRSt13unordered_setIPS2_"   \
    "St4hashISF_ESt8equal_toISF_ESaISF_EE"
#define SG_SET_LATENCY "_ZN7simgrid6kernel8resource15NetworkCm02Link11set_latencyEd"
#define SG_NUMBER_FOR_FORTRAN "_ZN7simgrid4smpi3F2C5add_fEv"
#define SG_ENGINE "_ZN7simgrid3s4u6Engine12get_instanceEv"
#define SG_CONTEXT_SELF "_ZN7simgrid6kernel7context7Context4selfEv"
#define SG_CONTEXT_SET "_ZN7simgrid6kernel7context7Context11set_currentEPS2_"
#define SG_ACTOR "_ZN7simgrid6kernel5actor9ActorImpl"
#define SG_ACTOR_SELF SG_ACTOR "4selfEv"
#define SG_TIMER_START "xbt_os_threadtimer_start"
#define SG_TIMER_STOP "xbt_os_threadtimer_stop"
#define SG_STACK "xbt_backtrace_display_current"
#define SG_WAITALL "_ZN7simgrid4smpi7Request7waitallEiPPS1_P10MPI_Status"
#define SG_MAILBOX "_ZN7simgrid6kernel8activity11MailboxImpl"
#define SG_FIND_COMM                                                                               \
    SG_MAILBOX "18find_matching_commENS1_12CommImplTypeERKSt8functionIFbPvS5_PNS1_8CommImplEEE"    \
               "S5_RKN5boost13intrusive_ptrIS6_EEbb"
#define SG_REMOVE_COMM SG_MAILBOX "6removeERKN5boost13intrusive_ptrINS1_8CommImplEEE"
#define SG_NEXT_MAILBOX SG_MAILBOX "8next_id_E"
#define SG_RELEASE "_ZN7simgrid6kernel8activity21intrusive_ptr_releaseEPNS1_12ActivityImplE"
#define SG_REPLAYS "_ZNK7simgrid4smpi8ActorExt9replayingEv"
#define SG_INIT_SMP SG_MPI_COMM "8init_smpEv"
#define SG_ALLGATHER_RING "_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE"
#define SG_BCAST_SCATTER                                                                           \
    "_ZN7simgrid4smpi27bcast__scatter_LR_allgatherEPviPNS0_8DatatypeEiPNS0_4CommE"
#define SG_ALLREDUCE_DEFAULT "_ZN7simgrid4smpi18allreduce__default" SG_OF_ALLREDUCE
#define SG_IS_SMP_COMM "_ZNK7simgrid4smpi4Comm11is_smp_commEv"
#define SG_LEADERS "_ZNK7simgrid4smpi4Comm16get_leaders_commEv"
#define SG_COPY_DATA "_ZN7simgrid4smpi8Datatype4copyEPKviPS1_PviS4_"
#define SG_RECEIVE_INIT "_ZN7simgrid4smpi7Request10irecv_initEPviPNS0_8DatatypeEiiPNS0_4CommE"
#define SG_BCAST "_ZN7simgrid4smpi5colls5bcastE"
#define SG_ALLREDUCE "_ZN7simgrid4smpi5colls9allreduceE"
#define SG_ALLTOALL "_ZN7simgrid4smpi5colls8alltoallE"
#define SG_ALLTOALLV "_ZN7simgrid4smpi5colls9alltoallvE"
#define SG_OF_ALLTOALL "EPKviPNS0_8DatatypeEPviS4_PNS0_4CommE"
#define SG_OF_ALLTOALLV "EPKvPKiS4_PNS0_8DatatypeEPvS4_S4_S6_PNS0_4CommE"
#define SG_OF_ALLREDUCE "EPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE"
#define SG_ALLTOALL_PAIR "_ZN7simgrid4smpi14alltoall__pair" SG_OF_ALLTOALL
#define SG_ALLTOALL_RING "_ZN7simgrid4smpi14alltoall__ring" SG_OF_ALLTOALL
#define SG_ALLTOALLV_PAIR "_ZN7simgrid4smpi15alltoallv__pair" SG_OF_ALLTOALLV
#define SG_ALLTOALLV_RING "_ZN7simgrid4smpi15alltoallv__ring" SG_OF_ALLTOALLV
#define SG_ALLREDUCE_RAB1 "_ZN7simgrid4smpi15allreduce__rab1" SG_OF_ALLREDUCE
#define SG_ALLREDUCE_RAB_RDB "_ZN7simgrid4smpi18allreduce__rab_rdb" SG_OF_ALLREDUCE
#define SG_REDUCE_SCATTER_RDB                                                                      \
    "_ZN7simgrid4smpi25reduce_scatter__mpich_rdbEPKvPvPKiPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE"
#define SG_BARRIER "_ZN7simgrid4smpi5colls7barrierE"
#define SG_ALLGATHER "_ZN7simgrid4smpi5colls9allgatherE"
#if SIMGRID_VERSION_MAJOR > 3 || SIMGRID_VERSION_MINOR >= 34
#define SG_OSEND "_ZNK7simgrid4smpi4Host5osendEmPNS_3s4u4HostES4_"
#define SG_OISEND "_ZNK7simgrid4smpi4Host6oisendEmPNS_3s4u4HostES4_"
#define SG_ORECV "_ZNK7simgrid4smpi4Host5orecvEmPNS_3s4u4HostES4_"
#else
#define SG_OSEND "_ZN7simgrid4smpi4Host5osendEmPNS_3s4u4HostES4_"
#define SG_OISEND "_ZN7simgrid4smpi4Host6oisendEmPNS_3s4u4HostES4_"
#define SG_ORECV "_ZN7simgrid4smpi4Host5orecvEmPNS_3s4u4HostES4_"
#endif
#define SG_LMM "_ZN7simgrid6kernel3lmm6System"
#define SG_VARIABLE_NEW SG_LMM "12variable_newEPNS0_8resource6ActionEddm"
#define SG_VARIABLE_FREE SG_LMM "13variable_freeEPNS1_8VariableE"
#define SG_CONSTRAINT_NEW SG_LMM "14constraint_newEPNS0_8resource8ResourceEd"
#define SG_EXPAND SG_LMM "6expandEPNS1_10ConstraintEPNS1_8VariableEdb"
#define SG_RESOURCE "_ZN7simgrid6kernel8resource"
#define SG_SET_PENALTY SG_LMM "23update_variable_penaltyEPNS1_8VariableEd"
#define SG_SET_BOUND SG_LMM "21update_variable_boundEPNS1_8VariableEd"
#define SG_REMAINS "_ZN7simgrid6kernel8resource6Action11get_remainsEv"
#define SG_NETWORK_MODEL "_ZNK7simgrid3s4u7NetZone17get_network_modelEv"
/* Without this header the factors are a base class of the network model. */
#if __has_include(<simgrid/kernel/resource/NetworkModelIntf.hpp>)
#define SG_HAS_NETWORK_INTERFACE 1
#define SG_NETWORK_TYPE SG_NETWORK_MODEL /* unused */
#define SG_FACTORS_TYPE SG_NETWORK_MODEL
#define SG_SET_LATENCY_FACTOR SG_NETWORK_MODEL
#define SG_SET_BANDWIDTH_FACTOR SG_NETWORK_MODEL
#else
#define SG_HAS_NETWORK_INTERFACE 0
#define SG_NETWORK_TYPE "_ZTIN7simgrid6kernel8resource12NetworkModelE"
#define SG_FACTORS_TYPE "_ZTIN7simgrid6kernel8resource19NetworkModelFactorsE"
#define SG_SET_FACTOR(function)                                                                    \
    "_ZN7simgrid6kernel8resource19NetworkModelFactors" function "ERKSt8functionIFddPKNS_3s4u4Host" \
    "ES7_RKSt6vectorIPNS4_4LinkESaISA_EERKSt13unordered_setIPNS4_7NetZoneESt4hashISH_ESt8equal_to" \
    "ISH_ESaISH_EEEE"
#define SG_SET_LATENCY_FACTOR SG_SET_FACTOR("17set_lat_factor_cb")
#define SG_SET_BANDWIDTH_FACTOR SG_SET_FACTOR("16set_bw_factor_cb")
#endif
#if SIMGRID_VERSION_MAJOR > 3
#define SG_LINK_USE "_ZNK7simgrid3s4u4Link8get_loadEv"
#else
#define SG_LINK_USE "_ZNK7simgrid3s4u4Link9get_usageEv"
#endif
#define SG_LINK_PROPERTY                                                                           \
    "_ZNK7simgrid3s4u4Link12get_propertyERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define SG_ADVANCE "_ZNK7simgrid6kernel10EngineImpl5solveEd"

/* REPLACED(part, symbol): our function replaces SimGrid's. CALLED: a function of SimGrid that only
 * our function calls. VARIABLE: a variable of SimGrid that our code changes. */
#define SMPI_SYMBOLS(REPLACED, CALLED, VARIABLE)                                                   \
    REPLACED(MEMORY, SG_NEW)                                                                       \
    REPLACED(MEMORY, SG_DELETE)                                                                    \
    REPLACED(MEMORY, SG_DELETE_SIZED)                                                              \
    CALLED(MEMORY, SG_REDUCE_SCATTER_RDB)                                                          \
    REPLACED(DETACHED, SG_COMM_DETACH)                                                             \
    REPLACED(DETACHED, SG_COMM_FINISH)                                                             \
    REPLACED(NUMBERS, SG_SENT)                                                                     \
    REPLACED(NUMBERS, SG_COUNT_SENT)                                                               \
    REPLACED(NUMBERS, SG_RECEIVED)                                                                 \
    REPLACED(NUMBERS, SG_COUNT_RECEIVED)                                                           \
    REPLACED(ROUTES, SG_FIND_ROUTE)                                                                \
    REPLACED(ROUTES, SG_SET_LATENCY)                                                               \
    REPLACED(SHORTCUTS, SG_NUMBER_FOR_FORTRAN)                                                     \
    REPLACED(SHORTCUTS, SG_ENGINE)                                                                 \
    REPLACED(SHORTCUTS, SG_CONTEXT_SELF)                                                           \
    REPLACED(SHORTCUTS, SG_CONTEXT_SET)                                                            \
    REPLACED(TIMERS, SG_TIMER_START)                                                               \
    REPLACED(TIMERS, SG_STACK)                                                                     \
    REPLACED(TIMERS, SG_TIMER_STOP)                                                                \
    REPLACED(WAITALL, SG_WAITALL)                                                                  \
    REPLACED(MAILBOX, SG_FIND_COMM)                                                                \
    REPLACED(MAILBOX, SG_REMOVE_COMM)                                                              \
    CALLED(MAILBOX, SG_NEXT_MAILBOX)                                                               \
    CALLED(MAILBOX, SG_RELEASE)                                                                    \
    REPLACED(CONTENTS, SG_REPLAYS)                                                                 \
    REPLACED(CONTENTS, SG_INIT_SMP)                                                                \
    REPLACED(CONTENTS, SG_COPY_DATA)                                                               \
    REPLACED(NEIGHBOURS, SG_INIT_SMP)                                                              \
    REPLACED(NEIGHBOURS, SG_IS_SMP_COMM)                                                           \
    CALLED(NEIGHBOURS, SG_LEADERS)                                                                 \
    REPLACED(NEIGHBOURS, SG_ALLGATHER_RING)                                                        \
    REPLACED(NEIGHBOURS, SG_BCAST_SCATTER)                                                         \
    REPLACED(NEIGHBOURS, SG_ALLREDUCE_DEFAULT)                                                     \
    REPLACED(RECEIVE, SG_RECEIVE_INIT)                                                             \
    VARIABLE(MEET, SG_BCAST)                                                                       \
    VARIABLE(MEET, SG_BARRIER)                                                                     \
    VARIABLE(MEET, SG_ALLGATHER)                                                                   \
    CALLED(WINDOWS, SG_ADD_WINDOW)                                                                 \
    CALLED(WINDOWS, SG_REMOVE_WINDOW)                                                              \
    VARIABLE(WINDOWS, SG_BARRIER)                                                                  \
    REPLACED(OVERHEADS, SG_OSEND)                                                                  \
    REPLACED(OVERHEADS, SG_OISEND)                                                                 \
    REPLACED(OVERHEADS, SG_ORECV)                                                                  \
    REPLACED(ORDER, SG_COMM_ISEND)                                                                 \
    REPLACED(ORDER, SG_VARIABLE_NEW)                                                               \
    REPLACED(ORDER, SG_VARIABLE_FREE)                                                              \
    REPLACED(ORDER, SG_SET_PENALTY)                                                                \
    REPLACED(BUFFER, SG_COMM_ISEND)                                                                \
    REPLACED(BUFFER, SG_COMM_START)                                                                \
    REPLACED(BUFFER, SG_COMM_FINISH)                                                               \
    REPLACED(BUFFER, SG_OISEND)                                                                    \
    REPLACED(BUFFER, SG_VARIABLE_NEW)                                                              \
    REPLACED(BUFFER, SG_SET_BOUND)                                                                 \
    CALLED(BUFFER, SG_REMAINS)                                                                     \
    REPLACED(LOOPBACK, SG_SET_BOUND)                                                               \
    CALLED(LOOPBACK, SG_NETWORK_MODEL)                                                             \
    CALLED(LOOPBACK, SG_NETWORK_TYPE)                                                              \
    CALLED(LOOPBACK, SG_FACTORS_TYPE)                                                              \
    CALLED(LOOPBACK, SG_SET_LATENCY_FACTOR)                                                        \
    CALLED(LOOPBACK, SG_SET_BANDWIDTH_FACTOR)                                                      \
    REPLACED(LIMITER, SG_CONSTRAINT_NEW)                                                           \
    REPLACED(LIMITER, SG_EXPAND)                                                                   \
    REPLACED(COPIES, SG_COMM_ISEND)                                                                \
    REPLACED(COPIES, SG_COMM_START)                                                                \
    REPLACED(COPIES, SG_VARIABLE_NEW)                                                              \
    REPLACED(COPIES, SG_SET_BOUND)                                                                 \
    REPLACED(COPIES, SG_EXPAND)                                                                    \
    CALLED(COPIES, SG_CONSTRAINT_NEW)                                                              \
    CALLED(COPIES, SG_NETWORK_MODEL)                                                               \
    CALLED(COPIES, SG_NETWORK_TYPE)                                                                \
    CALLED(COPIES, SG_FACTORS_TYPE)                                                                \
    CALLED(COPIES, SG_SET_LATENCY_FACTOR)                                                          \
    CALLED(COPIES, SG_SET_BANDWIDTH_FACTOR)                                                        \
    REPLACED(ALGORITHMS, SG_ALLTOALL_PAIR)                                                         \
    REPLACED(ALGORITHMS, SG_ALLTOALLV_PAIR)                                                        \
    REPLACED(ALGORITHMS, SG_ALLREDUCE_RAB1)                                                        \
    CALLED(ALGORITHMS, SG_ALLTOALL_RING)                                                           \
    CALLED(ALGORITHMS, SG_ALLTOALLV_RING)                                                          \
    CALLED(ALGORITHMS, SG_ALLREDUCE_RAB_RDB)                                                       \
    VARIABLE(ALGORITHMS, SG_ALLTOALL)                                                              \
    VARIABLE(ALGORITHMS, SG_ALLTOALLV)                                                             \
    VARIABLE(ALGORITHMS, SG_ALLREDUCE)                                                             \
    REPLACED(LINKS, SG_ADVANCE)                                                                    \
    CALLED(LINKS, SG_LINK_USE)                                                                     \
    CALLED(LINKS, SG_LINK_PROPERTY)                                                                \
    REPLACED(PAYLOAD, SG_COMM_ISEND)                                                               \
    CALLED(PAYLOAD, SG_ACTOR_SELF)

/* Nonzero if the part holds. */
int smpi_shim_holds(smpi_shim shim);
/* The reason why it does not hold, for a message: "SimGrid 4.0.0 is not one of ...", or a symbol.
 */
const char *smpi_shim_reason(smpi_shim shim);

#endif
