/* gnuplot.c - runs gnuplot on the script of a picture. */
#include "config.h"

#include "script.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <timeless_files.h>
#include <unistd.h>

extern char **environ;

/* ---- text ---- */

static bool is_letter_start(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t tlg_letters(const char *text, size_t limit)
{
    size_t n = 0;
    for (; *text && n < limit; text++)
        n += (size_t)is_letter_start(*text);
    return n;
}

/* Within single quotes only the quote itself has a meaning. */
static void put_quoted(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            putc('\'', out);
        putc(text[i], out);
    }
}

void tlg_put_text(FILE *out, const char *text, size_t limit)
{
    text = tl_printable(text);
    const size_t length = strlen(text);
    putc('\'', out);
    if (tlg_letters(text, limit + 1) <= limit) {
        put_quoted(out, text, length);
    } else {
        size_t head = 0, tail = length;
        for (size_t n = 0; n <= limit / 2; head++)
            n += (size_t)is_letter_start(text[head]);
        for (size_t n = 0; n < limit / 2;)
            n += (size_t)is_letter_start(text[--tail]);
        put_quoted(out, text, head - 1);
        fputs("…", out);
        put_quoted(out, text + tail, length - tail);
    }
    putc('\'', out);
}

/* ---- the program ---- */

/* Runs gnuplot with these files; its first complaint becomes the error. Of "-" gnuplot reads each
 * byte by a system call of its own, which takes longer than to draw. */
static tl_status run(int script, int picture, int complaints, tl_error *err)
{
    static char *const argv[] = {(char *)"gnuplot", (char *)"-d", (char *)"/dev/stdin", NULL};
    posix_spawn_file_actions_t actions;
    char text[256];
    pid_t child;
    int end = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    const int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT)
        return tl_fail(err, TL_ERR_SYSTEM,
                       "gnuplot draws the pictures, and it is not installed; install gnuplot "
                       "(Debian: gnuplot-nox)");
    if (failed)
        return tl_fail(err, TL_ERR_SYSTEM, "gnuplot cannot be started: %s", strerror(failed));
    while (waitpid(child, &end, 0) < 0)
        if (errno != EINTR)
            return tl_fail(err, TL_ERR_SYSTEM, "gnuplot is lost: %s", strerror(errno));
    if (WIFEXITED(end) && !WEXITSTATUS(end))
        return TL_OK;
    const ssize_t got = pread(complaints, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    const char *line = text + strspn(text, " \n");
    return tl_fail(err, TL_ERR_SYSTEM,
                   "gnuplot %s: %.*s; Timeless needs version 5.4 or later, with its terminals svg, "
                   "pdfcairo and pngcairo",
                   WIFSIGNALED(end) ? "was killed" : "failed", (int)strcspn(line, "\n"), line);
}

/* Draws into the open file. */
static tl_status draw(const tlg_picture *picture, tlg_format format, int out, tl_error *err)
{
    const int script = memfd_create("timeless-plot", MFD_CLOEXEC);
    const int complaints = memfd_create("timeless-plot-errors", MFD_CLOEXEC);
    FILE *text = script >= 0 ? fdopen(dup(script), "w") : NULL;
    tl_status status = TL_OK;
    if (complaints < 0 || !text) {
        status = tl_fail(err, TL_ERR_SYSTEM, "no memory for a plot: %s", strerror(errno));
    } else {
        tlg_script(picture, format, text);
        const int lost = ferror(text);
        if (fclose(text) != 0 || lost || lseek(script, 0, SEEK_SET) != 0)
            status = tl_fail(err, TL_ERR_SYSTEM, "no memory for a plot: %s", strerror(errno));
        text = NULL;
    }
    if (status == TL_OK)
        status = run(script, out, complaints, err);
    if (text)
        fclose(text);
    if (script >= 0)
        close(script);
    if (complaints >= 0)
        close(complaints);
    return status;
}

/* By the ending of the name; TLG_PAGE: it is no picture. */
static tlg_format format_of(const char *path)
{
    static const char *const endings[] = {
        [TLG_SVG] = ".svg", [TLG_PDF] = ".pdf", [TLG_PNG] = ".png"};
    const char *dot = strrchr(path, '.');
    tlg_format format = TLG_SVG;
    while (format < TLG_PAGE && (!dot || strcmp(dot, endings[format]) != 0))
        format++;
    return format;
}

bool tlg_is_picture(const char *path)
{
    return format_of(path) != TLG_PAGE;
}

tl_status tlg_draw(const tlg_picture *picture, const char *path, tl_error *err)
{
    tl_replacement file = {0};
    tl_status status = TL_OK;
    TL_TRY(tl_replace_begin(path, &file, err));
    const int out = open(file.part, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (out < 0)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                         strerror(errno));
    else
        status = draw(picture, format_of(path), out, err);
    if (out >= 0 && close(out) != 0 && status == TL_OK)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
    return tl_replace_end(&file, status, err);
}

/* ---- pages ---- */

/* Copies the <svg> element without its names of XML, which HTML does not need: a page that fetches
 * nothing names no address. */
static void copy_element(const char *svg, FILE *page)
{
    static const char space[] = " xmlns", link[] = "xlink:href";
    for (const char *at = strstr(svg, "<svg"); at && *at;) {
        if (!strncmp(at, space, sizeof space - 1)) {
            at = strchr(at, '"');
            at = at ? strchr(at + 1, '"') : NULL;
            at += at != NULL;
        } else if (!strncmp(at, link, sizeof link - 1)) {
            at += strlen("xlink:");
        } else {
            putc(*at++, page);
        }
    }
}

static tl_status draw_element(const tlg_picture *picture, FILE *page, tl_error *err)
{
    const int out = memfd_create("timeless-picture", MFD_CLOEXEC);
    if (out < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "no memory for a plot: %s", strerror(errno));
    tl_status status = draw(picture, TLG_PAGE, out, err);
    const off_t size = status == TL_OK ? lseek(out, 0, SEEK_END) : 0;
    char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
    if (text && pread(out, text, (size_t)size, 0) == (ssize_t)size) {
        text[size] = '\0';
        copy_element(text, page);
    } else if (status == TL_OK) {
        status = tl_fail(err, TL_ERR_SYSTEM, "gnuplot drew nothing; check that it works");
    }
    free(text);
    close(out);
    return status;
}

void tlg_draw_into_page(const tlg_picture *picture, FILE *page)
{
    tl_error err;
    if (draw_element(picture, page, &err) == TL_OK)
        return;
    fputs("<p>No picture: ", page);
    tl_put_xml(page, err.text, strlen(err.text));
    fputs("</p>\n", page);
}

/* A picture has no background of its own. In a dark style its lightness is reversed, its hues stay.
 */
static const char style[] =
    ":root { color-scheme: light dark; --ink: #222; --paper: #fff; --dim: #666; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "    :root { --ink: #dcdcdc; --paper: #16181c; --dim: #9a9a9a; }\n"
    "    svg { filter: invert(.9) hue-rotate(180deg); }\n"
    "}\n"
    "body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 66em; padding: 0 1em; "
    "color: var(--ink); background: var(--paper); }\n"
    "table { display: block; overflow-x: auto; border-collapse: collapse; }\n"
    "svg { display: block; max-width: 100%; height: auto; }\n"
    "td, th { padding: .1em .4em; text-align: right; vertical-align: top; font-size: 13px; "
    "white-space: nowrap; }\n"
    "@media (max-width: 900px) { td, th { padding: .1em .3em; font-size: 12px; } }\n"
    "pre { font-size: 12px; white-space: pre-wrap; }\n"
    "small { font-weight: normal; color: var(--dim); }\n";

void tlg_begin_page(FILE *page, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'/><title>", page);
    tl_put_xml(page, title, strlen(title));
    fprintf(page, "</title>\n<style>\n%s</style></head><body>\n<h1>", style);
    tl_put_xml(page, title, strlen(title));
    fputs("</h1>\n", page);
}

void tlg_put_seconds(FILE *page, double seconds)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    size_t i = 0;
    while (seconds != 0 && i < 3 && fabs(seconds) < units[i].scale)
        i++;
    fprintf(page, "%.4g %s", seconds / units[i].scale, units[i].unit);
}
