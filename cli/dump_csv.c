/* dump_csv.c - the events of a trace as CSV, one a row. */
#include "dump_csv.h"

#include <inttypes.h>
#include <timeless_files.h>

void dump_csv_heading(FILE *out)
{
    fputs("rank,event,call,kernel,site,volume,polls,comm,new_comm,request,peer,tag,recv_peer,"
          "recv_tag,count,type_bytes,recv_count,recv_type_bytes,flags,clock_ns,took_ns,list\n",
          out);
}

/* Slots that the call does not have are empty. */
static void put_signed(FILE *out, uint32_t slots, uint32_t slot, int64_t value)
{
    fputc(',', out);
    if (slots & slot)
        fprintf(out, "%" PRId64, value);
}

static void put_unsigned(FILE *out, uint32_t slots, uint32_t slot, uint64_t value)
{
    fputc(',', out);
    if (slots & slot)
        fprintf(out, "%" PRIu64, value);
}

void dump_csv_event(const tl_reader *r, uint32_t rank, uint64_t number, const tl_event *e,
                    FILE *out)
{
    char site[512];
    const tl_call_info *row = tl_call_by_code(e->call);
    const uint32_t has = row->slots;
    const char *kernel = e->call == TL_KERNEL_user ? tl_reader_kernel_name(r, rank, e) : NULL;
    fprintf(out, "%" PRIu32 ",%" PRIu64 ",%s,", rank, number, row->name);
    if (kernel)
        tl_put_csv(out, kernel, 1);
    fputc(',', out);
    tl_site_name(r, rank, e->site, site, sizeof site);
    if (e->site)
        tl_put_csv(out, site, 1);
    fprintf(out, ",%" PRIu64 ",%" PRIu32, e->volume, e->polls);
    put_unsigned(out, has, TL_SLOT_COMM, e->comm);
    put_unsigned(out, has, TL_SLOT_NEW_COMM, e->new_comm);
    put_unsigned(out, has, TL_SLOT_REQUEST, e->request);
    put_signed(out, has, TL_SLOT_PEER, e->peer);
    put_signed(out, has, TL_SLOT_TAG, e->tag);
    put_signed(out, has, TL_SLOT_RECV_PEER, e->recv_peer);
    put_signed(out, has, TL_SLOT_RECV_TAG, e->recv_tag);
    put_signed(out, has, TL_SLOT_COUNT, e->count);
    put_signed(out, has, TL_SLOT_TYPE, e->type_bytes);
    put_signed(out, has, TL_SLOT_RECV_COUNT, e->recv_count);
    put_signed(out, has, TL_SLOT_RECV_TYPE, e->recv_type_bytes);
    put_unsigned(out, has, TL_SLOT_FLAGS, e->flags);
    put_unsigned(out, has, TL_SLOT_CLOCK, e->clock_ns);
    put_unsigned(out, e->took_ns > 0, 1, (uint64_t)e->took_ns); /* a reader has at most 2^63 */
    fputc(',', out);
    for (uint32_t i = 0; i < e->list_len; i++)
        fprintf(out, "%s%" PRId64, i ? " " : "", e->list[i]);
    fputc('\n', out);
}
