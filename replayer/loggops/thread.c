/* thread.c - a rank with several threads, whose events are in one order that really happened.
 *
 * The rank has one program, in this order. The computation of a thread between two of its own calls
 * runs at the same time as what the other threads do, as in SimGrid's engine (smpi/thread.c): a
 * timer, which begins where the thread left MPI, and for which its next call waits. */
#include "reading.h"

#include <string.h>

void loggops_switch_thread(loggops_reading *t, uint32_t number)
{
    const size_t n = (number > t->thread ? number : t->thread) + (size_t)1;
    if (number == t->thread ||
        !loggops_has_room(t, &t->threads, n, &t->threads_room, sizeof *t->threads))
        return;
    t->n_threads = n > t->n_threads ? n : t->n_threads;
    if (t->is_labelled)
        loggops_label_none(t);
    loggops_thread *from = &t->threads[t->thread];
    *from = (loggops_thread){t->n_ops + 1, t->compute_s, from->timer};
    const loggops_thread *to = &t->threads[number];
    /* A thread with its first event is assumed to begin where thread 0 last left MPI. */
    t->resumed_from = to->left ? to->left : t->threads[0].left;
    t->compute_s = to->compute_s;
    t->thread = number;
}

/* What names operations at this place or behind it by their number names the next number. */
static void move_back(loggops_reading *t, size_t place)
{
    for (size_t i = 0; i < t->requests_room; i++)
        t->requests[i].op += t->requests[i].op > place;
    for (size_t i = 0; i < t->n_threads; i++)
        t->threads[i].left += t->threads[i].left > place + 1;
    for (size_t i = t->n_labels; i-- > 0 && t->labels[i].op >= place;)
        t->labels[i].op++;
}

void loggops_compute_beside(loggops_reading *t, uint64_t amount)
{
    const size_t place = t->resumed_from - 1;
    loggops_thread *thread = &t->threads[t->thread];
    if (!thread->timer)
        thread->timer = loggops_new_request(t);
    const loggops_op timer = {.kind = LOGGOPS_TIMER, .amount = amount, .request = thread->timer};
    const int64_t request = thread->timer;
    loggops_add(t, timer);
    if (t->status != TL_OK)
        return;
    memmove(t->ops + place + 1, t->ops + place, (t->n_ops - 1 - place) * sizeof *t->ops);
    t->ops[place] = timer;
    move_back(t, place);
    loggops_add_wait(t, &request, 1);
}
