/* dump_csv.h - the events of a trace as CSV. */
#ifndef CLI_DUMP_CSV_H
#define CLI_DUMP_CSV_H

#include <stdio.h>
#include <timeless.h>

/* The names of the columns. */
void dump_csv_heading(FILE *out);
void dump_csv_event(const tl_reader *r, uint32_t rank, uint64_t number, const tl_event *e,
                    FILE *out);

#endif
