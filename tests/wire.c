/* wire.c - the network between emulated hosts: a switch with a link to each, store and forward.
 *
 *     wire MBIT_PER_S LATENCY_US MTU CORES SLOWDOWN HOST...   HOST is a namespace of ip-netns(8)
 *
 * Makes a device eth0 in each namespace, whose packets it reads, holds for as long as the link of
 * their sender and that of their receiver would be busy with them, and for the latency, and then
 * hands over.  Address i is 10.77.i.2.  Prints a line when the devices are there, and runs until it
 * is killed.
 *
 * What a host's network takes of its processor, to send and to receive, a thread of its own does,
 * with CORES other than 0 on core (i - 1) modulo CORES: messages that cross do not wait for each
 * other, and no host pays for another one.
 *
 * A host sends to others in turn, packet by packet, as Linux's default (fq_codel) does, whose
 * packets would pass through to the device unqueued here.
 *
 * Everything takes SLOWDOWN times as long as MBIT_PER_S and LATENCY_US say.
 *
 * With WIRE_STALL=HOST:EACH:US, the link to host number HOST stops for US microseconds at every
 * EACH-th of its packets.
 *
 * The shapers of the kernel (tbf, htb) let a packet pass an idle link at once and make the next one
 * wait: a message of one packet then takes no time for its bytes, and a ping-pong of any size half
 * of it, which no network does and no model of one says. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_HOSTS = 64,
    MOST_BYTES = 9216,
    FRAME_BYTES = 38,  /* preamble, header, checksum and gap of Ethernet */
    QUEUE = 4096,      /* packets on their way to a host */
    WAITING = 512,     /* packets of a host for another that its link has not come to */
    AHEAD_NS = 200000, /* a packet is given to its link so long before that is idle, */
    AHEAD_IN_TURN_NS =
        50000,            /* with several receivers: who comes first then has not had its turn */
    LONGEST_NS = 50000000 /* a port of the switch drops what would wait longer */
};

typedef struct packet {
    uint64_t due_ns;
    uint32_t n_bytes;
    char bytes[MOST_BYTES];
} packet;

/* A ring with room for a number of packets; NULL before the first one. */
typedef struct ring {
    packet *packets;
    unsigned first, n;
} ring;

typedef struct host {
    int fd;
    int timer;                /* when the first of the queue is due, set by who puts it there */
    uint64_t up_free_ns;      /* when the link in that direction is idle again */
    ring waiting[MOST_HOSTS]; /* from this host to each, for its own thread alone */
    unsigned n_waiting;
    int turn;
    pthread_mutex_t lock; /* of what follows */
    uint64_t down_free_ns;
    packet *queue; /* to this host, in the order in which they are due */
    unsigned first, n;
} host;

static host hosts[MOST_HOSTS];
static int n_hosts;
static double ns_per_byte;
static uint64_t latency_ns, ahead_ns, longest_ns = LONGEST_NS;
static unsigned long stalled, each; /* WIRE_STALL; stalled counts from 1, 0: none is */
static uint64_t stall_ns;

static void give_up(const char *what)
{
    fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A device lives in the namespace in which it was made; its descriptor works everywhere. */
static int make_device(const char *namespace)
{
    char path[256];
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(path, sizeof path, "/run/netns/%s", namespace);
    int to = open(path, O_RDONLY | O_CLOEXEC);
    if (to < 0 || setns(to, CLONE_NEWNET) != 0)
        give_up(path);
    close(to);
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    snprintf(request.ifr_name, sizeof request.ifr_name, "eth0");
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request) != 0)
        give_up("/dev/net/tun");
    return fd;
}

/* The receiver of an IPv4 packet; -1: none of ours. */
static int receiver_of(const packet *p)
{
    if (p->n_bytes < 20 || p->bytes[0] >> 4 != 4)
        return -1;
    int i = (unsigned char)p->bytes[18] - 1;
    return i >= 0 && i < n_hosts ? i : -1;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* Into the queue of its receiver, whose thread is to wake up for it. */
static void put(host *to, packet *p, uint64_t now, uint64_t up_free_ns, uint64_t busy_ns)
{
    static unsigned long n_packets; /* to the stalled host */
    pthread_mutex_lock(&to->lock);
    if (stalled && to == &hosts[stalled - 1] && ++n_packets % each == 0)
        to->down_free_ns = later(to->down_free_ns, now) + stall_ns;
    /* The switch sends on while it receives: another link of the same rate takes no more time. */
    const uint64_t due = later(up_free_ns, to->down_free_ns + busy_ns);
    if (to->n < QUEUE && due <= now + longest_ns) {
        to->down_free_ns = due;
        p->due_ns = due + latency_ns;
        memcpy(&to->queue[(to->first + to->n) % QUEUE], p,
               sizeof *p - sizeof p->bytes + p->n_bytes);
        const struct itimerspec then = {.it_value = timespec_of(p->due_ns)};
        if (to->n++ == 0)
            timerfd_settime(to->timer, TFD_TIMER_ABSTIME, &then, NULL);
    }
    pthread_mutex_unlock(&to->lock);
}

/* Reads what a host sends; what there is no room for is lost. */
static void take_all(host *from)
{
    static __thread packet p;
    for (ssize_t n; (n = read(from->fd, p.bytes, sizeof p.bytes)) > 0;) {
        p.n_bytes = (uint32_t)n;
        const int to = receiver_of(&p);
        if (to < 0)
            continue;
        ring *r = &from->waiting[to];
        if (!r->packets && !(r->packets = calloc(WAITING, sizeof p)))
            give_up("memory");
        if (r->n == WAITING)
            continue;
        memcpy(&r->packets[(r->first + r->n++) % WAITING], &p,
               sizeof p - sizeof p.bytes + (size_t)n);
        from->n_waiting++;
    }
}

/* Sends the first packet for the host whose turn it is. */
static void send_next(host *from, uint64_t now)
{
    do
        from->turn = (from->turn + 1) % n_hosts;
    while (!from->waiting[from->turn].n);
    ring *r = &from->waiting[from->turn];
    packet *p = &r->packets[r->first];
    const uint64_t busy_ns = (uint64_t)((double)(p->n_bytes + FRAME_BYTES) * ns_per_byte);
    from->up_free_ns = later(now, from->up_free_ns) + busy_ns;
    put(&hosts[from->turn], p, now, from->up_free_ns, busy_ns);
    r->first = (r->first + 1) % WAITING;
    r->n--;
    from->n_waiting--;
}

/* The first packet of the queue, which stays where it is until it is taken out; NULL: none. */
static const packet *first_of(host *h)
{
    pthread_mutex_lock(&h->lock);
    const packet *p = h->n ? &h->queue[h->first] : NULL;
    pthread_mutex_unlock(&h->lock);
    return p;
}

/* Hands over what is due; returns when the next packet is, UINT64_MAX if there is none. */
static uint64_t deliver(host *h, uint64_t now)
{
    for (const packet *p; (p = first_of(h));) {
        if (p->due_ns > now || (write(h->fd, p->bytes, p->n_bytes) < 0 && errno == EAGAIN))
            return p->due_ns;
        pthread_mutex_lock(&h->lock);
        h->first = (h->first + 1) % QUEUE;
        h->n--;
        pthread_mutex_unlock(&h->lock);
    }
    return UINT64_MAX;
}

/* Until something comes or is due. */
static void wait_for_work(host *h, uint64_t next, uint64_t now)
{
    struct pollfd fds[] = {{.fd = h->n_waiting ? -1 : h->fd, .events = POLLIN},
                           {.fd = h->timer, .events = POLLIN}};
    uint64_t expirations;
    if (h->n_waiting && h->up_free_ns - ahead_ns < next)
        next = h->up_free_ns - ahead_ns;
    const struct timespec timeout = timespec_of(next > now ? next - now : 0);
    /* Nothing to read: who has just set the timer again has taken that back. */
    if (ppoll(fds, 2, next == UINT64_MAX ? NULL : &timeout, NULL) > 0 && fds[1].revents &&
        read(h->timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN)
        give_up("timer");
}

static void *serve(void *argument)
{
    host *h = argument;
    for (;;) {
        uint64_t now = now_ns(), next = deliver(h, now);
        take_all(h);
        while (h->up_free_ns <= now + ahead_ns && h->n_waiting)
            send_next(h, now);
        wait_for_work(h, next, now_ns());
    }
    return NULL;
}

static void begin_host(host *h, const char *namespace, int core)
{
    pthread_attr_t attributes;
    pthread_t thread;
    cpu_set_t cores;
    h->fd = make_device(namespace);
    h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    h->queue = calloc(QUEUE, sizeof *h->queue);
    if (h->timer < 0 || !h->queue || pthread_mutex_init(&h->lock, NULL) != 0 ||
        pthread_attr_init(&attributes) != 0)
        give_up("memory");
    CPU_ZERO(&cores);
    CPU_SET((unsigned)(core < 0 ? 0 : core), &cores);
    if (core >= 0 && pthread_attr_setaffinity_np(&attributes, sizeof cores, &cores) != 0)
        give_up("core");
    if ((errno = pthread_create(&thread, &attributes, serve, h)) != 0)
        give_up("thread");
    pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc - 6 > MOST_HOSTS) {
        fputs("usage: wire MBIT_PER_S LATENCY_US MTU CORES SLOWDOWN HOST...\n", stderr);
        return 2;
    }
    ns_per_byte = 8000 / strtod(argv[1], NULL);
    latency_ns = (uint64_t)(1000 * strtod(argv[2], NULL));
    const int n_cores = (int)strtol(argv[4], NULL, 10);
    const unsigned slowdown = (unsigned)strtoul(argv[5], NULL, 10);
    ns_per_byte *= slowdown;
    latency_ns *= slowdown;
    longest_ns *= slowdown;
    n_hosts = argc - 6;
    const char *stall = getenv("WIRE_STALL");
    char *rest = NULL;
    if (stall) {
        stalled = strtoul(stall, &rest, 10);
        each = *rest == ':' ? strtoul(rest + 1, &rest, 10) : 0;
        stall_ns = *rest == ':' ? 1000 * strtoul(rest + 1, &rest, 10) : 0;
        if (!each || !stall_ns || stalled > (unsigned long)n_hosts)
            give_up("WIRE_STALL");
    }
    ahead_ns = n_hosts > 2 ? AHEAD_IN_TURN_NS : AHEAD_NS;
    /* A wire does not wait for a core; threads inherit this. */
    const struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &first) != 0)
        fprintf(stderr, "wire: no real-time priority: %s\n", strerror(errno));
    for (int i = 0; i < n_hosts; i++)
        begin_host(&hosts[i], argv[6 + i], n_cores > 0 ? i % n_cores : -1);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
