/* deny.c - run a command without some system calls, as containers do: they fail with EPERM.
 *
 *   deny perf COMMAND [ARGUMENT...]         no performance events
 *   deny namespaces COMMAND [ARGUMENT...]   no new namespaces, no mounts
 *   deny all COMMAND [ARGUMENT...]          neither
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DENIED (SECCOMP_RET_ERRNO | EPERM)
#define CALL_IS_NOT(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (skip))
#define DENY(number) CALL_IS_NOT(number, 1), BPF_STMT(BPF_RET | BPF_K, DENIED)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter perf[] = {LOAD(nr), DENY(SYS_perf_event_open), ALLOW};

static struct sock_filter namespaces[] = {
    LOAD(nr), DENY(SYS_unshare), DENY(SYS_setns), DENY(SYS_mount), ALLOW,
};

static int filter(struct sock_filter *lines, unsigned short n)
{
    struct sock_fprog program = {n, lines};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#define FILTER(lines) filter(lines, sizeof(lines) / sizeof *(lines))

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    int all = !strcmp(what, "all");
    int no_perf = all || !strcmp(what, "perf"), no_namespaces = all || !strcmp(what, "namespaces");
    if (!no_perf && !no_namespaces) {
        fprintf(stderr, "usage: deny perf|namespaces|all COMMAND [ARGUMENT...]\n");
        return 2;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || (no_perf && FILTER(perf) != 0) ||
        (no_namespaces && FILTER(namespaces) != 0)) {
        perror("deny: no filter of system calls");
        return 4;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 4;
}
