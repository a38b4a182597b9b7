/* network_repetitions.c - the durations of repeated operations on a network. */
#include "config.h"

#include "network.h"

static tl_status add_kind(const tlp_network *net, const tlp_probe_data *data, int kind, int series,
                          const char *name, tlp_repetition_list *out)
{
    const bool has_line = series >= 0;
    tlp_repetitions *item = tlp_begin_repetitions(out, name, has_line ? "measured / fitted" : "s");
    tl_status status = item ? TL_OK : TL_ERR_MEMORY;
    for (size_t i = 0; i < data->n_rows && status == TL_OK; i++) {
        const tlp_probe_row *row = &data->rows[i];
        if (row->kind != kind || row->same_host != net->one_host)
            continue;
        const double seconds = (row->seconds - net->wtime_s) / (series == SERIES_transfer ? 2 : 1);
        status = tlp_add_repetition(
            item, 0,
            has_line ? seconds / tlp_pieces_at(&net->pieces, series, row->bytes) : row->seconds);
    }
    return status;
}

tl_status tlp_network_repetitions(const tlp_network *net, const tlp_probe_data *data,
                                  tlp_repetition_list *out)
{
    static const struct {
        int kind, series;
        const char *name;
    } kinds[] = {{KIND_pingpong, SERIES_transfer, "half a round trip"},
                 {KIND_send, SERIES_send, "MPI_Send, its receive posted before"},
                 {KIND_recv, SERIES_recv, "MPI_Recv, its message sent before"},
                 {KIND_isend, SERIES_isend, "MPI_Isend, its receive posted before"},
                 {KIND_iprobe, -1, "MPI_Iprobe that finds nothing"},
                 {KIND_test, -1, "MPI_Test that finds nothing"},
                 {KIND_wtime, -1, "MPI_Wtime"}};
    tl_status status = TL_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == TL_OK; i++)
        status = add_kind(net, data, kinds[i].kind, kinds[i].series, kinds[i].name, out);
    return status;
}
