/* generate.c - makes a platform folder from its description. */
#include "config.h"

#include "generate.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>
#include <unistd.h>

void tlp_write_xml(const tlp_description *d, FILE *out)
{
    fprintf(out,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<!-- %s%s%lld nodes, %s; written by timeless platform.\n"
            "     The description states the sources of the figures. -->\n"
            "<platform version=\"4.1\">\n"
            "  <zone id=\"platform\" routing=\"Full\">\n",
            d->title, *d->title ? ": " : "", (long long)d->n_nodes, d->topology->name);
    d->topology->write_xml(d, out);
    fputs("  </zone>\n</platform>\n", out);
}

void tlp_write_options(const tlp_description *d, FILE *out)
{
    fputs("# Written by timeless platform; the description states the sources of the values.\n",
          out);
    static const char key[] = "smpi/async-small-thresh:", other[] = "smpi/send-is-detached-thresh:";
    const char *eager = NULL, *detached = "65536"; /* SimGrid's */
    for (size_t i = 0; i < d->n_options; i++) {
        fprintf(out, "%s\n", d->options[i]);
        if (!strncmp(d->options[i], key, sizeof key - 1))
            eager = d->options[i];
        if (!strncmp(d->options[i], other, sizeof other - 1))
            detached = d->options[i] + sizeof other - 1;
    }
    /* SimGrid's is 0: a message whose send is over would wait for its receive. */
    if (!eager)
        fprintf(out, "# Not stated: messages whose sends do not wait leave at once.\n%s%s\n", key,
                detached);
}

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* A file of the folder that is being written. */
typedef struct part {
    char *path;
    tl_output out;
} part;

/* The path of the file d->model, relative to the description. */
static char *model_path(const tlp_description *d)
{
    const char *slash = d->model[0] == '/' ? NULL : strrchr(d->path, '/');
    char *path = NULL;
    if (!slash)
        return strdup(d->model);
    if (asprintf(&path, "%.*s/%s", (int)(slash - d->path), d->path, d->model) < 0)
        return NULL;
    return path;
}

static tl_status copy_model(const tlp_description *d, FILE *in, const char *from, FILE *out,
                            tl_error *err)
{
    char bytes[4096];
    size_t n;
    /* Its times need not be those of these nodes. */
    fprintf(out, "# Copied by timeless platform from %s; the next lines state its origin.\n",
            tl_printable(d->model));
    while ((n = fread(bytes, 1, sizeof bytes, in)))
        fwrite(bytes, 1, n, out);
    return ferror(in) ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; check 'model'", from,
                                strerror(errno))
                      : TL_OK;
}

/* Whether the model is the file that it would be copied to: the description stands in its own
 * folder. */
static bool is_in_place(FILE *model, const char *to)
{
    struct stat a, b;
    return fstat(fileno(model), &a) == 0 && stat(to, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* All files are written before the first one replaces an older one. */
static tl_status write_parts(const tlp_description *d, const char *folder, FILE *model,
                             const char *model_from, tl_error *err)
{
    enum { XML, OPTIONS, MODEL, N_PARTS };
    static const char *const names[N_PARTS] = {"platform.xml", "options.conf", "model.conf"};
    part parts[N_PARTS] = {{0}};
    tl_status status = TL_OK;
    int n = 0;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be made: %s; check the path", folder,
                       strerror(errno));
    for (; n < (model ? N_PARTS : MODEL) && status == TL_OK; n++) {
        parts[n].path = join(folder, names[n]);
        status = parts[n].path ? tl_output_open(parts[n].path, &parts[n].out, err)
                               : tl_no_memory(err, folder);
    }
    if (status == TL_OK) {
        tlp_write_xml(d, parts[XML].out.file);
        tlp_write_options(d, parts[OPTIONS].out.file);
    }
    if (status == TL_OK && model)
        status = copy_model(d, model, model_from, parts[MODEL].out.file, err);
    for (int i = 0; i < n; i++) {
        status = tl_output_close(&parts[i].out, parts[i].path, status, err);
        free(parts[i].path);
    }
    return status;
}

tl_status tlp_generate_folder(const tlp_description *d, const char *folder, tl_error *err)
{
    char *from = d->model ? model_path(d) : NULL, *to = join(folder, "model.conf");
    FILE *model = NULL;
    tl_status status = TL_OK;
    if (!to || (d->model && !from))
        status = tl_no_memory(err, folder);
    else if (from && !(model = fopen(from, "r")))
        status =
            tl_fail(err, TL_ERR_SYSTEM, "%s: the model of %s cannot be opened: %s; check 'model'",
                    from, d->path, strerror(errno));
    if (status == TL_OK)
        status = write_parts(d, folder, model && !is_in_place(model, to) ? model : NULL, from, err);
    if (model)
        fclose(model);
    free(from);
    free(to);
    return status;
}

/* The first line of the README without its "# NAME: ". */
static void print_title(const char *folder, const char *name, FILE *out)
{
    char line[256] = "", *path = NULL;
    if (asprintf(&path, "%s/%s/README.md", folder, name) < 0)
        return;
    FILE *readme = fopen(path, "r");
    free(path);
    if (readme) {
        if (!fgets(line, sizeof line, readme))
            line[0] = '\0';
        fclose(readme);
    }
    line[strcspn(line, "\n")] = '\0';
    const char *colon = strstr(line, ": ");
    /* Completion in shells takes the name as what is before two blanks. */
    fprintf(out, "%-13s  %s\n", tl_printable(name), tl_printable(colon ? colon + 2 : line));
}

tl_status tlp_list_platforms(const char *folder, FILE *out, tl_error *err)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    if (n < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; set TIMELESS_PLATFORMS", folder,
                       strerror(errno));
    for (int i = 0; i < n; i++) {
        char *xml = NULL;
        if (asprintf(&xml, "%s/%s/platform.xml", folder, entries[i]->d_name) >= 0 &&
            access(xml, R_OK) == 0)
            print_title(folder, entries[i]->d_name, out);
        free(xml);
        free(entries[i]);
    }
    free(entries);
    return TL_OK;
}
