/* same_event.h - for tests and fuzzing harnesses. */
#ifndef TEST_SAME_EVENT_H
#define TEST_SAME_EVENT_H

#include <stdbool.h>
#include <string.h>

#include <timeless.h>

/* Whether two events agree in everything. */
static inline bool test_same_event(const tl_event *a, const tl_event *b)
{
    return a->call == b->call && a->flags == b->flags && a->site == b->site &&
           a->volume == b->volume && a->polls == b->polls && a->comm == b->comm &&
           a->new_comm == b->new_comm && a->request == b->request && a->peer == b->peer &&
           a->tag == b->tag && a->recv_peer == b->recv_peer && a->recv_tag == b->recv_tag &&
           a->count == b->count && a->type_bytes == b->type_bytes &&
           a->recv_count == b->recv_count && a->recv_type_bytes == b->recv_type_bytes &&
           a->clock_ns == b->clock_ns && a->took_ns == b->took_ns && a->list_len == b->list_len &&
           (!a->list_len || !memcmp(a->list, b->list, a->list_len * sizeof *a->list));
}

#endif
