/* names.h - gives external names a prefix for the family of MPI, in the files that are compiled
 * once for each family (tracer/local.mk lists them). */
#ifndef TLT_NAMES_H
#define TLT_NAMES_H

#define tlt_pmpi TLT_FAMILY(pmpi)
#define tlt_pmpi_resolve TLT_FAMILY(pmpi_resolve)
#define tlt_comms_reset TLT_FAMILY(comms_reset)
#define tlt_comms_free TLT_FAMILY(comms_free)
#define tlt_comm_find TLT_FAMILY(comm_find)
#define tlt_comm_define TLT_FAMILY(comm_define)
#define tlt_win_define TLT_FAMILY(win_define)
#define tlt_file_define TLT_FAMILY(file_define)
#define tlt_comm_remove TLT_FAMILY(comm_remove)
#define tlt_list_group TLT_FAMILY(list_group)
#define tlt_known_types TLT_FAMILY(known_types)
#define tlt_type_ask TLT_FAMILY(type_ask)
#define tlt_completion_free TLT_FAMILY(completion_free)
#define tlt_counters_read_list TLT_FAMILY(counters_read_list)
#define tlt_counters_start_papi TLT_FAMILY(counters_start_papi)
#define tlt_counters_start TLT_FAMILY(counters_start)
#define tlt_counters_mark TLT_FAMILY(counters_mark)
#define tlt_counters_write TLT_FAMILY(counters_write)

/* The function that records a call. */
#define TLT_WRAPPER(name) TLT_FAMILY(MPI_##name)

#endif
