/* raw.c - reads and writes files of measurements. */
#include "config.h"

#include "raw.h"

#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

enum { LINE_BYTES = 4096 };

/* ---- writing ---- */

static void put_note(const tlp_note *note, FILE *out)
{
    fprintf(out, "%s ", note->name);
    switch (note->type) {
    case 'u': fprintf(out, "%u", *(unsigned *)note->value); break;
    case 'l': fprintf(out, "%lu", *(unsigned long *)note->value); break;
    case 'd': fprintf(out, "%.17g", *(double *)note->value); break;
    default: fputs(tl_printable(note->value), out); break;
    }
}

tl_status tlp_raw_write(const tlp_raw *raw, const void *all, FILE *out, tl_error *err)
{
    tlp_note notes[TLP_MOST_NOTES];
    const char *before = "# ";
    const bool is_one_line = *raw->behind_notes == ' ';
    const size_t n = raw->notes((void *)all, notes);
    for (size_t i = 0; i < n; i++) {
        if (notes[i].type == 'w' && !*(char *)notes[i].value)
            continue;
        fputs(before, out);
        put_note(&notes[i], out);
        fputs(is_one_line ? "" : "\n", out);
        before = is_one_line ? " " : "# ";
    }
    fputs(is_one_line ? "\n" : "", out);
    if (raw->write_more)
        raw->write_more(all, out);
    fprintf(out, "%s\n", raw->header);
    raw->write_rows(all, out);
    if (fflush(out) == 0 && !ferror(out))
        return TL_OK;
    return tl_fail(err, TL_ERR_SYSTEM, "the measurements cannot be written: %s; check the disk",
                   strerror(errno));
}

/* ---- reading ---- */

int tlp_cell_number(const char *cell, double least, double most, double *out)
{
    char *rest;
    *out = strtod(cell, &rest);
    return rest != cell && !*rest && *out >= least && *out <= most;
}

/* Returns what follows the value. */
static const char *take_value(const tlp_note *note, const char *text)
{
    char *rest = NULL;
    const size_t n = strcspn(text, note->type == 's' ? "" : " ");
    switch (note->type) {
    case 'u': *(unsigned *)note->value = (unsigned)strtoul(text, &rest, 10); break;
    case 'l': *(unsigned long *)note->value = strtoul(text, &rest, 10); break;
    case 'd': *(double *)note->value = strtod(text, &rest); break;
    default:
        snprintf(note->value, note->size, "%.*s", (int)n, text);
        if (note->type == 'w' && !strcmp(note->value, "unknown")) /* as older files have it */
            *(char *)note->value = '\0';
    }
    return rest ? rest : text + n;
}

/* Whether it is the header, or that of an older file, which is shorter. */
static bool is_header(const tlp_raw *raw, const char *line)
{
    return raw->least_cells ? !strncmp(line, raw->header, strlen(line))
                            : !strcmp(line, raw->header);
}

/* The notes of a line, of which there may be several. */
static void take_notes(const tlp_note *notes, size_t n, const char *line)
{
    for (const char *at = line + 1; at && *at == ' ';) {
        const char *name = at + 1;
        at = NULL;
        for (size_t i = 0; i < n && !at; i++) {
            const size_t length = strlen(notes[i].name);
            if (!strncmp(name, notes[i].name, length) && name[length] == ' ')
                at = take_value(&notes[i], name + length + 1);
        }
    }
}

static tl_status take_row(const tlp_raw *raw, char *line, void *all)
{
    char *cells[TLP_MOST_CELLS], *rest = line, none[] = "0";
    size_t n = 0, wanted = 1;
    for (const char *at = raw->header; (at = strchr(at, ',')); at++)
        wanted++;
    for (char *cell; n < TLP_MOST_CELLS && (cell = strsep(&rest, ","));)
        cells[n++] = cell;
    while (raw->least_cells && n >= raw->least_cells && n < wanted)
        cells[n++] = none;
    return n == wanted ? raw->take_row(all, cells) : TL_ERR_INPUT;
}

static tl_status read_all(const tlp_raw *raw, FILE *in, const char *path, void *all, tl_error *err)
{
    char line[LINE_BYTES];
    tlp_note notes[TLP_MOST_NOTES];
    const size_t n = raw->notes(all, notes);
    bool is_ours = !raw->magic;
    tl_status status = TL_OK;
    for (unsigned number = 1; status == TL_OK && fgets(line, sizeof line, in); number++) {
        line[strcspn(line, "\r\n")] = '\0';
        is_ours = is_ours || !strcmp(line, raw->magic);
        if (*line == '#') {
            take_notes(notes, n, line);
            status = raw->take_line ? raw->take_line(all, line, err) : TL_OK;
        } else if (is_ours && *line && !is_header(raw, line)) {
            status = take_row(raw, line, all);
            if (status == TL_ERR_INPUT)
                tl_error_set(err, status, "%s:%u: not a line of %s; correct it", path, number,
                             raw->header);
        }
    }
    if (status == TL_ERR_MEMORY)
        tl_error_set(err, status, "%s: out of memory", path);
    if (status != TL_OK && status != TL_END)
        return status;
    const char *lack = raw->finish(all);
    return lack ? tl_fail(err, TL_ERR_INPUT, "%s: %s", path, lack) : TL_OK;
}

void *tlp_raw_open(const tlp_raw *raw, const char *path, tl_error *err)
{
    FILE *in = NULL;
    void *all = calloc(1, raw->bytes);
    tl_status status = all ? tlp_open_raw(path, raw->entry, &in, err) : tl_no_memory(err, path);
    if (status == TL_OK) {
        status = read_all(raw, in, path, all, err);
        fclose(in);
    }
    if (status == TL_OK)
        return all;
    raw->free(all);
    return NULL;
}
