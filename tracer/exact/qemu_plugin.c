/* qemu_plugin.c - counts the instructions of each thread of a program under QEMU user mode.
 *
 *     qemu-x86_64 -plugin timeless-qemu.so PROGRAM
 *
 * QEMU calls at the start of each translated block; a signal is delivered only between blocks.  Two
 * kinds of instruction are counted by a call of their own:
 * - a string instruction with a repeat prefix, which ends its block and is entered again for every
 *   iteration;
 * - the last of a block, near the end of a page: QEMU takes it back, silently, when it turns out to
 *   reach into the next page.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "exact.h"
#include "qemu_api.h"
#include "string_instruction.h"

#define EXPORT __attribute__((visibility("default")))

enum { PAGE_BYTES = 4096, LONGEST_INSTRUCTION_BYTES = 15 };

EXPORT int qemu_plugin_version = QEMU_API_VERSION;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

static tlt_exact_table *table;
static bool is_x86;
static __thread int64_t current = -1; /* slot of the emulated thread, since its last system call */

static uint32_t slot_of(unsigned vcpu)
{
    return vcpu < TLT_EXACT_SLOTS ? vcpu : TLT_EXACT_SLOTS - 1;
}

static void count(unsigned vcpu, void *n_instructions)
{
    tlt_exact_slot *slot = &table->slots[slot_of(vcpu)];
    slot->count += (uintptr_t)n_instructions;
    slot->repeating = 0;
}

static void count_string_instruction(unsigned vcpu, void *address)
{
    tlt_exact_slot *slot = &table->slots[slot_of(vcpu)];
    if (slot->repeating == (uintptr_t)address)
        return;
    slot->count++;
    slot->repeating = (uintptr_t)address;
}

static bool may_be_taken_back(const struct qemu_plugin_insn *last)
{
    return PAGE_BYTES - qemu_plugin_insn_vaddr(last) % PAGE_BYTES < LONGEST_INSTRUCTION_BYTES;
}

static void instrument(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb), n_alone = 0;
    (void)id;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        bool repeated = is_x86 && tlt_is_repeated_string(qemu_plugin_insn_data(insn),
                                                         qemu_plugin_insn_size(insn));
        if (repeated)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, count_string_instruction,
                                                   QEMU_CALLBACK_READS_NO_REGISTERS,
                                                   (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
        else if (i > 0 && i + 1 == n && may_be_taken_back(insn))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, count, QEMU_CALLBACK_READS_NO_REGISTERS,
                                                   (void *)1);
        else
            continue;
        n_alone++;
    }
    if (n > n_alone)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, count, QEMU_CALLBACK_READS_NO_REGISTERS,
                                             (void *)(n - n_alone));
}

/* Called by the thread that starts the new one. */
static void begin_thread(qemu_plugin_id_t id, unsigned vcpu)
{
    (void)id;
    tlt_exact_begin(table, slot_of(vcpu), current);
}

/* The program's addresses are QEMU's own, unless QEMU was told to shift them. In that case there is
 * no answer. */
static bool is_ask(uint64_t address)
{
    tlt_exact_ask ask;
    struct iovec to = {&ask, sizeof ask}, from = {(void *)(uintptr_t)address, sizeof ask};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof ask &&
           ask.magic == TLT_EXACT_MAGIC && ask.self == address;
}

static void see_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1,
                            uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                            uint64_t a7, uint64_t a8)
{
    (void)id, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    current = slot_of(vcpu);
    if (number == TLT_EXACT_SYSCALL && is_ask(a1))
        tlt_exact_answer(table, slot_of(vcpu), (tlt_exact_ask *)(uintptr_t)a1);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (info->system_emulation)
        return -1;
    /* Private memory: the child of fork() counts in a copy. */
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
        return -1;
    is_x86 = !strcmp(info->target_name, "x86_64");
    qemu_plugin_register_vcpu_init_cb(id, begin_thread);
    qemu_plugin_register_vcpu_tb_trans_cb(id, instrument);
    qemu_plugin_register_vcpu_syscall_cb(id, see_system_call);
    return 0;
}
