/* qemu_api.h - the part of QEMU's TCG plugin interface, version 1 (QEMU 4.2 to 8.2), that the
 * plugin uses.
 *
 * No Debian package contains the header. Documentation: "QEMU TCG Plugins" in QEMU's developer
 * manual. */
#ifndef TLT_QEMU_API_H
#define TLT_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QEMU_API_VERSION = 1, QEMU_CALLBACK_READS_NO_REGISTERS = 0 };

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct qemu_info_t {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;

typedef void (*qemu_tb_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_vcpu_callback)(qemu_plugin_id_t id, unsigned vcpu);
typedef void (*qemu_exec_callback)(unsigned vcpu, void *user);
typedef void (*qemu_syscall_callback)(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                                      uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                                      uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_vcpu_callback callback);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_tb_callback callback);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_syscall_callback callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_exec_callback callback,
                                          int flags, void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            qemu_exec_callback callback, int flags, void *user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

#endif
