/* hpl_emit.c - the events of a step of HPL, until the cursor takes them. */
#include "hpl.h"

#include "core/room.h"

hpl_item *hpl_make_room(hpl_rank *r)
{
    if (tl_make_room(&r->items, r->n_items, &r->items_room, sizeof *r->items))
        return &r->items[r->n_items++];
    r->out_of_memory = 1;
    return &r->lost;
}

static int32_t rank_at(const hpl_rank *r, int32_t row, int32_t col)
{
    const tl_hpl *o = &r->p->o;
    return o->column_major ? col * o->p + row : row * o->q + col;
}

static inline void put_message(hpl_rank *r, uint16_t call, int site, int32_t peer, int64_t doubles,
                               int32_t tag)
{
    *hpl_next_item(r) = ((hpl_item){
        .call = call, .site = (uint8_t)site, .peer = peer, .tag = tag, .bytes = 8 * doubles});
}

void hpl_message_in_column(hpl_rank *r, uint16_t call, int site, int32_t row, int64_t doubles,
                           int32_t tag)
{
    put_message(r, call, site, rank_at(r, row, r->col), doubles, tag);
}

void hpl_message_in_row(hpl_rank *r, uint16_t call, int site, int32_t column, int64_t doubles,
                        int32_t tag)
{
    put_message(r, call, site, rank_at(r, r->row, column), doubles, tag);
}

void hpl_wait(hpl_rank *r, int site)
{
    *hpl_next_item(r) = ((hpl_item){.call = TL_MPI_Wait, .site = (uint8_t)site});
}

void hpl_pass_down(hpl_rank *r, int site, int32_t root, int32_t own, int32_t size, int32_t bit,
                   int64_t doubles, int32_t tag)
{
    const int32_t partner = own ^ bit;
    if (!(own & (bit - 1)) && (own & bit || partner < size))
        hpl_message_in_column(r, own & bit ? TL_MPI_Recv : TL_MPI_Send, site,
                              hpl_add(root, partner, r->p->o.p), doubles, tag);
}

void hpl_spread_down(hpl_rank *r, int site, int32_t root, int32_t own, int32_t size,
                     int64_t doubles, int32_t tag)
{
    if (size > 1)
        for (int32_t bit = hpl_power_of_two(size - 1); bit > 0; bit >>= 1)
            hpl_pass_down(r, site, root, own, size, bit, doubles, tag);
}

void hpl_exchange(hpl_rank *r, int site, int32_t row, int64_t to_send, int64_t to_receive)
{
    const int32_t peer = rank_at(r, row, r->col);
    const bool is_both = to_send > 0 && to_receive > 0;
    if (to_receive > 0)
        put_message(r, is_both ? TL_MPI_Irecv : TL_MPI_Recv, site, peer, to_receive, HPL_TAG_PFACT);
    if (to_send > 0)
        put_message(r, TL_MPI_Send, site, peer, to_send, HPL_TAG_PFACT);
    if (is_both)
        hpl_wait(r, site);
}

static inline void put_kernel(hpl_rank *r, uint16_t call, int site, uint8_t n_sizes, int64_t m,
                              int64_t n, int64_t k)
{
    *hpl_next_item(r) = ((hpl_item){.call = call,
                                    .site = (uint8_t)site,
                                    .n_sizes = n_sizes,
                                    .peer = (int32_t)m,
                                    .tag = (int32_t)n,
                                    .kernel = (int32_t)k});
}

void hpl_kernel1(hpl_rank *r, uint16_t call, int site, int64_t n)
{
    if (n > 0)
        put_kernel(r, call, site, 1, n, 0, 0);
}

void hpl_kernel2(hpl_rank *r, uint16_t call, int site, int64_t m, int64_t n)
{
    if (m > 0 && n > 0)
        put_kernel(r, call, site, 2, m, n, 0);
}

void hpl_kernel3(hpl_rank *r, uint16_t call, int site, int64_t m, int64_t n, int64_t k)
{
    if (m > 0 && n > 0 && k > 0)
        put_kernel(r, call, site, 3, m, n, k);
}

void hpl_move(hpl_rank *r, int kernel, int site, int64_t m, int64_t n)
{
    if (m > 0 && n > 0 && r->p->o.moves)
        put_kernel(r, TL_KERNEL_user, site, 2, m, n, kernel);
}

hpl_task *hpl_begin(hpl_rank *r, hpl_task_step *step)
{
    hpl_task *t = &r->tasks[r->n_tasks++];
    *t = (hpl_task){.step = step};
    return t;
}

/* The slots are set one by one, because a memset of the whole event took a third of the time. */
static inline void clear(tl_event *e)
{
    e->flags = 0;
    e->volume = 0;
    e->polls = 0;
    e->comm = e->new_comm = e->request = 0;
    e->peer = e->tag = e->recv_peer = e->recv_tag = 0;
    e->count = e->type_bytes = e->recv_count = e->recv_type_bytes = 0;
    e->clock_ns = 0;
    e->took_ns = 0;
    e->list_len = 0;
    e->list = NULL;
}

static inline void fill_kernel(hpl_rank *r, const hpl_item *item, tl_event *event)
{
    r->sizes[0] = item->peer;
    r->sizes[1] = item->tag;
    r->sizes[2] = item->kernel;
    event->list = r->sizes;
    event->list_len = item->n_sizes;
    if (item->call == TL_KERNEL_user)
        event->tag = item->kernel;
}

/* An exchange has one request, and HPL has no other request at the same time. All requests have the
 * number 1. */
void hpl_event(hpl_rank *r, const hpl_item *item, tl_event *event)
{
    clear(event);
    event->call = item->call;
    event->site = item->site;
    if (item->n_sizes) {
        fill_kernel(r, item, event);
        return;
    }
    switch (item->call) {
    case TL_MPI_Init:
    case TL_MPI_Pcontrol:
    case TL_MPI_Finalize: return;
    case TL_MPI_Sleep: event->count = item->bytes; return;
    case TL_MPI_Wait: event->request = 1; return;
    case TL_MPI_Barrier: event->comm = TL_COMM_WORLD; return;
    case TL_MPI_Irecv:
    case TL_MPI_Issend: event->request = 1; break;
    default: break;
    }
    event->comm = TL_COMM_WORLD;
    event->peer = item->peer;
    event->tag = item->tag;
    event->count = item->bytes / 8;
    event->type_bytes = 8;
}
