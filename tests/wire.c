/* wire.c - the network between emulated hosts: a switch with a link to each, store and forward.
 *
 *     wire MBIT_PER_S LATENCY_US MTU HOST...   HOST is a namespace of ip-netns(8)
 *
 * Makes a device eth0 in each namespace, whose packets it reads, holds for as long as the link of
 * their sender and that of their receiver would be busy with them, and for the latency, and then
 * hands over.  Address i is 10.77.i.2.  Prints a line when the devices are there, and runs until it
 * is killed.
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
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_HOSTS = 64,
    MOST_BYTES = 9216,
    FRAME_BYTES = 38,     /* preamble, header, checksum and gap of Ethernet */
    QUEUE = 4096,         /* packets on their way to a host */
    AHEAD_NS = 200000,    /* a sender's packets are left to it that its link comes to only later */
    LONGEST_NS = 50000000 /* a port of the switch drops what would wait longer */
};

typedef struct packet {
    uint64_t due_ns;
    uint32_t n_bytes;
    char bytes[MOST_BYTES];
} packet;

typedef struct host {
    int fd;
    uint64_t up_free_ns, down_free_ns; /* when the link in that direction is idle again */
    packet *queue;                     /* to this host, in the order in which they are due */
    unsigned first, n;
} host;

static host hosts[MOST_HOSTS];
static int n_hosts;
static double ns_per_byte;
static uint64_t latency_ns;

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

/* Takes the next packet of host `from`; 0: there is none. */
static int take(int from, uint64_t now)
{
    static packet p;
    ssize_t n = read(hosts[from].fd, p.bytes, sizeof p.bytes);
    if (n <= 0)
        return 0;
    p.n_bytes = (uint32_t)n;
    int to = receiver_of(&p);
    if (to < 0)
        return 1;
    const uint64_t busy_ns = (uint64_t)((double)(p.n_bytes + FRAME_BYTES) * ns_per_byte);
    hosts[from].up_free_ns = later(now, hosts[from].up_free_ns) + busy_ns;
    /* The switch sends on while it receives: another link of the same rate takes no more time. */
    const uint64_t due = later(hosts[from].up_free_ns, hosts[to].down_free_ns + busy_ns);
    if (hosts[to].n == QUEUE || due > now + LONGEST_NS)
        return 1;
    hosts[to].down_free_ns = due;
    p.due_ns = due + latency_ns;
    packet *free_place = &hosts[to].queue[(hosts[to].first + hosts[to].n++) % QUEUE];
    memcpy(free_place, &p, sizeof p - sizeof p.bytes + p.n_bytes);
    return 1;
}

static void deliver(host *h, uint64_t now)
{
    while (h->n && h->queue[h->first].due_ns <= now) {
        const packet *p = &h->queue[h->first];
        if (write(h->fd, p->bytes, p->n_bytes) < 0 && errno == EAGAIN)
            return;
        h->first = (h->first + 1) % QUEUE;
        h->n--;
    }
}

/* Until something comes or is due. */
static void wait_for_work(uint64_t now)
{
    struct pollfd fds[MOST_HOSTS];
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < n_hosts; i++) {
        int is_ahead = hosts[i].up_free_ns > now + AHEAD_NS;
        fds[i] = (struct pollfd){.fd = is_ahead ? -1 : hosts[i].fd, .events = POLLIN};
        if (is_ahead && hosts[i].up_free_ns - AHEAD_NS < next)
            next = hosts[i].up_free_ns - AHEAD_NS;
        if (hosts[i].n && hosts[i].queue[hosts[i].first].due_ns < next)
            next = hosts[i].queue[hosts[i].first].due_ns;
    }
    const uint64_t wait = next > now ? next - now : 0;
    const struct timespec timeout = {(time_t)(wait / 1000000000), (long)(wait % 1000000000)};
    ppoll(fds, (nfds_t)n_hosts, next == UINT64_MAX ? NULL : &timeout, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc - 4 > MOST_HOSTS) {
        fputs("usage: wire MBIT_PER_S LATENCY_US MTU HOST...\n", stderr);
        return 2;
    }
    ns_per_byte = 8000 / strtod(argv[1], NULL);
    latency_ns = (uint64_t)(1000 * strtod(argv[2], NULL));
    n_hosts = argc - 4;
    for (int i = 0; i < n_hosts; i++) {
        hosts[i].fd = make_device(argv[4 + i]);
        hosts[i].queue = calloc(QUEUE, sizeof *hosts[i].queue);
        if (!hosts[i].queue)
            give_up("memory");
    }
    /* A wire does not wait for a core. */
    const struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &first) != 0)
        fprintf(stderr, "wire: no real-time priority: %s\n", strerror(errno));
    puts("ready");
    fflush(stdout);
    for (;;) {
        uint64_t now = now_ns();
        for (int i = 0; i < n_hosts; i++)
            deliver(&hosts[i], now);
        for (int i = 0; i < n_hosts; i++)
            while (hosts[i].up_free_ns <= now + AHEAD_NS && take(i, now))
                ;
        wait_for_work(now_ns());
    }
}
