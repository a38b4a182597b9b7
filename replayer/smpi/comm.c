/* comm.c - communicators of the simulated ranks.
 *
 * In SMPI's replay mode messages carry no payload, so MPI_Comm_split cannot exchange its colours.
 * Every communicator that the trace will need is therefore built before the trace begins. The
 * constructors of the trace only simulate their cost. This cost was read from SimGrid 3.32's
 * communicator class: a new communicator broadcasts one int among its members. A split first
 * gathers two ints from each rank of the parent at its rank 0, which then sends each group a
 * pointer. With the selectors ompi-4.1 and ompi-5.0, the cost is that of Open MPI (ompi.h). */
#include "config.h"

#include "smpi/shims/shims.h"
#include "calls.h"

#include <limits.h>

/* `same`: an address that represents the communicator. */
static MPI_Comm build(MPI_Group group, const void *same)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (MPI_Comm_create(MPI_COMM_WORLD, group, &comm) != MPI_SUCCESS)
        smpi_give_up(TL_ERR_SYSTEM, "SimGrid cannot build a communicator");
    if (comm != MPI_COMM_NULL)
        smpi_numbers_share(comm, same);
    /* The types on the two sides of a message may differ if their sizes agree. */
    if (comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* All ranks share the groups, because a group for each rank would take memory times the square of
 * the number of ranks. */
static void build_groups(smpi_job *job)
{
    const tlr_plan *plan = job->plan;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    job->groups = smpi_alloc(plan->n_comms, sizeof *job->groups);
    job->groups[TLR_PLAN_WORLD] = world;
    for (size_t c = 1; c < plan->n_comms; c++)
        MPI_Group_incl(world, (int)plan->comms[c].n_members, plan->comms[c].members,
                       &job->groups[c]);
}

/* Only smpirun sets the variable MPI_COMM_WORLD. While it is not set, SMPI handles communicators
 * for the ranks of one host wrongly. Its value does not matter, because the world of the trace is a
 * communicator of its own. It must only exist longer than all ranks. */
static void set_world_variable(const smpi_job *job)
{
    const int zero = 0;
    MPI_Group only_me;
    MPI_Group_incl(job->groups[TLR_PLAN_WORLD], 1, &zero, &only_me);
    MPI_COMM_WORLD = build(only_me, &MPI_COMM_WORLD);
}

/* Windows and files communicate on the communicator from which they were made. */
static bool is_on_parent(const tl_comm *definition)
{
    return definition && tlr_kind_of(definition) != TLR_KIND_COMM;
}

void smpi_build_comms(smpi_rank *r)
{
    smpi_job *job = r->job;
    const tlr_plan *plan = job->plan;
    const tlr_plan_rank *own = plan->ranks[r->rank];
    if (r->rank == 0)
        build_groups(job);
    sg_barrier_wait(replay.barrier);
    r->comms = smpi_alloc(own->n_comms, sizeof *r->comms);
    r->twins = smpi_alloc(own->n_comms, sizeof *r->twins);
    r->peer_offset = smpi_alloc(own->n_comms, sizeof *r->peer_offset);
    r->n_splits = smpi_alloc(own->n_comms, sizeof *r->n_splits);
    r->windows = smpi_alloc(own->n_comms, sizeof *r->windows);
    r->file_done = smpi_alloc(own->n_comms, sizeof *r->file_done);
    uint32_t *id_of = smpi_alloc(plan->n_comms, sizeof *id_of);
    for (uint32_t id = 0; id < own->n_comms; id++) {
        r->comms[id] = r->twins[id] = MPI_COMM_NULL;
        const tl_comm *definition = own->definitions[id];
        if (definition && definition->n_remote && definition->members[0] < definition->remote[0])
            r->peer_offset[id] = definition->n_members;
        if (own->comms[id] >= 0)
            id_of[own->comms[id]] = id;
        /* SimGrid's group is a table of all ranks up to this one. */
        else if (own->comms[id] == TLR_PLAN_SELF && own->uses_self)
            r->comms[id] = MPI_COMM_SELF;
    }
    /* The order is the same on all ranks, because building a communicator is collective among its
     * members. */
    for (size_t c = 0; c < plan->n_comms; c++) {
        if (!id_of[c])
            continue;
        const uint32_t id = id_of[c];
        if (is_on_parent(own->definitions[id]))
            continue;
        r->comms[id] = build(job->groups[c], &job->groups[c]);
        if (plan->comms[c].needs_twin || replay.ompi)
            r->twins[id] = build(job->groups[c], (const char *)&job->groups[c] + 1);
    }
    for (size_t c = 0; c < plan->n_comms; c++) {
        const tl_comm *definition = id_of[c] ? own->definitions[id_of[c]] : NULL;
        if (!is_on_parent(definition))
            continue;
        r->comms[definition->id] = r->comms[definition->parent];
        if (tlr_kind_of(definition) == TLR_KIND_WINDOW)
            smpi_build_window(r, definition->id);
    }
    sg_barrier_wait(replay.barrier);
    if (r == replay.ranks)
        set_world_variable(job);
    sg_barrier_wait(replay.barrier);
    for (size_t c = 0; c < plan->n_comms && replay.knows_hosts; c++)
        if (id_of[c] && r->comms[id_of[c]] != MPI_COMM_NULL &&
            !is_on_parent(own->definitions[id_of[c]]))
            smpi_find_neighbours(r->comms[id_of[c]]);
    sg_barrier_wait(replay.barrier);
    free(id_of);
}

MPI_Comm smpi_event_comm(const smpi_rank *r)
{
    return r->comms[r->event.comm];
}

/* Rank 0 of the parent sends each member of each group the group to which it belongs. Groups are
 * ordered by their first member, members by their rank in the new communicator. One group follows
 * the other. */
static int send_groups(const smpi_rank *r, uint32_t ordinal, int32_t parent, MPI_Comm twin)
{
    const tlr_plan *plan = r->job->plan;
    size_t n_groups;
    const tlr_plan_split *split = tlr_plan_find_split(plan, (uint32_t)parent, ordinal, &n_groups);
    int32_t *parent_rank = smpi_alloc(plan->n_ranks, sizeof *parent_rank);
    for (uint32_t i = 0; i < plan->comms[parent].n_members; i++)
        parent_rank[plan->comms[parent].members[i]] = (int32_t)i;
    MPI_Request *requests = smpi_alloc(plan->comms[parent].n_members, sizeof *requests);
    int rc = MPI_SUCCESS;
    for (size_t g = 0; g < n_groups; g++) {
        const tlr_plan_comm *group = &plan->comms[split[g].child];
        int n = 0;
        for (uint32_t m = 0; m < group->n_members && rc == MPI_SUCCESS; m++)
            if ((uint32_t)group->members[m] != r->rank)
                rc = MPI_Isend(replay.send_buffer, (int)sizeof(void *), MPI_BYTE,
                               parent_rank[group->members[m]], 0, twin, &requests[n++]);
        if (rc == MPI_SUCCESS)
            rc = MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    free(requests);
    free(parent_rank);
    return rc;
}

/* The messages use a twin of the parent, where no receive of the trace can take them. */
static int split_cost(smpi_rank *r, int32_t parent, bool has_child)
{
    const MPI_Comm twin = r->twins[r->event.comm];
    const uint32_t ordinal = r->n_splits[r->event.comm]++;
    MPI_Request gather;
    int rc = MPI_Igather(replay.send_buffer, 2, MPI_INT, replay.recv_buffer, 2, MPI_INT, 0, twin,
                         &gather);
    if (rc == MPI_SUCCESS)
        rc = MPI_Wait(&gather, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS)
        return rc;
    if ((uint32_t)r->job->plan->comms[parent].members[0] == r->rank)
        return send_groups(r, ordinal, parent, twin);
    if (has_child)
        rc = MPI_Recv(replay.recv_buffer, (int)sizeof(void *), MPI_BYTE, 0, 0, twin,
                      MPI_STATUS_IGNORE);
    return rc;
}

/* If constructors overlap with other calls of threads, all members must have entered. */
static int construct_entered(smpi_rank *r)
{
    MPI_Request own = MPI_REQUEST_NULL,
                *request = r->step.entered ? smpi_request(r, r->step.entered) : &own;
    if (r->event.call == TL_MPI_Comm_create_group) /* not called by all members */
        return MPI_SUCCESS;
    int rc = MPI_Ibarrier(smpi_event_comm(r), request);
    if (rc == MPI_SUCCESS && !r->step.entered)
        rc = MPI_Wait(&own, MPI_STATUS_IGNORE);
    return rc;
}

/* SMPI 3.32 has no intercommunicators. The first ranks of the two groups exchange sizes and
 * members, and send them to the other ranks of their group. */
static int meet_other_group(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_comm *made = r->job->plan->ranks[r->rank]->definitions[e->new_comm];
    if (!made)
        return MPI_SUCCESS;
    const int own = (int)made->n_members + 1, other = (int)made->n_remote + 1;
    int rc = MPI_SUCCESS;
    if ((uint32_t)made->members[0] == r->rank)
        rc = MPI_Sendrecv(replay.send_buffer, own, MPI_INT, (int)r->peer_offset[e->new_comm], 0,
                          replay.recv_buffer, other, MPI_INT, (int)r->peer_offset[e->new_comm], 0,
                          r->comms[e->new_comm], MPI_STATUS_IGNORE);
    return rc == MPI_SUCCESS ? MPI_Bcast(replay.recv_buffer, other, MPI_INT, 0, r->comms[e->comm])
                             : rc;
}

/* MPI_Cart_sub that keeps no dimension. SMPI 3.32 then makes a communicator of one rank, without
 * cost. A grid with dimensions has neighbours, even if they are MPI_PROC_NULL. MPICH, as SMPI,
 * gives all ranks but the first none; where dimensions are kept, each rank has one. */
static int keeps_no_dimension(const smpi_rank *r)
{
    const tl_event *e = &r->event;
    if (e->call != TL_MPI_Cart_sub || e->new_comm == TL_COMM_NULL)
        return e->call == TL_MPI_Cart_sub;
    const tl_comm *made = r->job->plan->ranks[r->rank]->definitions[e->new_comm];
    return made && made->n_members == 1 && !made->n_sources && !made->n_destinations;
}

/* As Open MPI makes it, on the twin of the parent. 0: its messages are not known. */
static int construct_as_ompi(const smpi_rank *r, int32_t parent, int *rc)
{
    const tlr_ompi_making making = tlr_ompi_making_of(r->event.call);
    const MPI_Comm twin = r->twins[r->event.comm];
    if (!replay.ompi || !making.n_agreements || twin == MPI_COMM_NULL ||
        (parent >= 0 && r->job->plan->comms[parent].n_first))
        return 0;
    *rc = smpi_ompi_make(&making, twin);
    return 1;
}

int smpi_construct(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const int32_t parent = tlr_plan_find_comm(r->job->plan, r->rank, e->comm);
    int rc = MPI_SUCCESS;
    if (r->info->traits & TL_TRAIT_NB) /* what it costs on the way; nobody waits in the call */
        return e->new_comm == TL_COMM_NULL
                   ? rc
                   : MPI_Ibcast(replay.recv_buffer, 1, MPI_INT, 0, r->comms[e->new_comm],
                                smpi_request(r, e->request));
    if (r->step.entered || tlr_walk_is_entered(&r->walk, e->comm))
        return construct_entered(r);
    if (construct_as_ompi(r, parent, &rc))
        return rc;
    /* SMPI finds the ranks of a host without a message. */
    if (e->call == TL_MPI_Comm_split_type)
        return rc;
    if (keeps_no_dimension(r)) {
        r->n_splits[e->comm]++; /* the plan counts it among the splits */
        return rc;
    }
    if (r->info->action == TL_ACTION_INTERCOMM_CREATE)
        rc = meet_other_group(r);
    if (r->info->action == TL_ACTION_COMM_SPLIT && parent >= 0 &&
        !r->job->plan->comms[parent].n_first)
        rc = split_cost(r, parent, e->new_comm != TL_COMM_NULL);
    if (rc == MPI_SUCCESS && e->new_comm != TL_COMM_NULL)
        rc = MPI_Bcast(replay.recv_buffer, 1, MPI_INT, 0, r->comms[e->new_comm]);
    return rc;
}
