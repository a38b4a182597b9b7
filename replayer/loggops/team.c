/* team.c - threads that simulate the blocks of a window together. */
#include "simulate.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct member {
    team *team;
    unsigned number;
    pthread_t thread;
} member;

struct team {
    team_task task;
    void *context;
    unsigned n; /* with the caller */
    member *members;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t turn; /* how often the task has been given out */
    unsigned n_busy;
    bool is_over;
};

static void *serve(void *argument)
{
    const member *m = argument;
    team *t = m->team;
    uint64_t turn = 0;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->turn == turn && !t->is_over)
            pthread_cond_wait(&t->begin, &t->lock);
        if (t->is_over)
            break;
        turn = t->turn;
        pthread_mutex_unlock(&t->lock);
        t->task(t->context, m->number);
        pthread_mutex_lock(&t->lock);
        if (!--t->n_busy)
            pthread_cond_signal(&t->end);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

team *loggops_team_start(unsigned n_threads, team_task task, void *context)
{
    team *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (team){.task = task,
                .context = context,
                .n = 1,
                .members = calloc(n_threads, sizeof *t->members),
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .begin = PTHREAD_COND_INITIALIZER,
                .end = PTHREAD_COND_INITIALIZER};
    for (; t->members && t->n < n_threads; t->n++) {
        member *m = &t->members[t->n];
        *m = (member){.team = t, .number = t->n};
        if (pthread_create(&m->thread, NULL, serve, m) != 0)
            break;
    }
    return t;
}

void loggops_team_run(team *t)
{
    pthread_mutex_lock(&t->lock);
    t->turn++;
    t->n_busy = t->n - 1;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    t->task(t->context, 0);
    pthread_mutex_lock(&t->lock);
    while (t->n_busy)
        pthread_cond_wait(&t->end, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void loggops_team_end(team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_over = 1;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (unsigned i = 1; i < t->n; i++)
        pthread_join(t->members[i].thread, NULL);
    free(t->members);
    free(t);
}
