/* page.c - the files of this folder that become parts of a page, and the plotting library. */
#include "config.h"

#include "page.h"

#include <string.h>

#define INCLUDE_TEXT(name, path)                                                                   \
    __asm__(".pushsection .rodata\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n");     \
    extern const char name[] __attribute__((visibility("hidden")))

INCLUDE_TEXT(tlr_head_html, REPORT_FOLDER "/head.html");
INCLUDE_TEXT(tlr_report_html, REPORT_FOLDER "/report.html");
INCLUDE_TEXT(tlr_style_css, REPORT_FOLDER "/style.css");
INCLUDE_TEXT(tlr_common_js, REPORT_FOLDER "/common.js");
INCLUDE_TEXT(tlr_timeline_js, REPORT_FOLDER "/timeline.js");
INCLUDE_TEXT(tlr_report_js, REPORT_FOLDER "/report.js");
INCLUDE_TEXT(tlr_versus_html, REPORT_FOLDER "/versus.html");
INCLUDE_TEXT(tlr_versus_js, REPORT_FOLDER "/versus.js");
INCLUDE_TEXT(tlr_flame_html, REPORT_FOLDER "/flame.html");
INCLUDE_TEXT(tlr_flame_js, REPORT_FOLDER "/flame.js");
INCLUDE_TEXT(tlr_chart_js, CHART_JS);

/* The colours as variables of the style, and the names for the scripts. */
static const char colours_css[] = ":root {"
#define STATE(kind, id, name, light, dark) " --" id ": #" light ";"
#define LOOK(id, name, light, dark) " --" id ": #" light ";"
#include "results/looks.def"
                                  " }\n@media (prefers-color-scheme: dark) {\n    :root {"
#define STATE(kind, id, name, light, dark) " --" id ": #" dark ";"
#define LOOK(id, name, light, dark) " --" id ": #" dark ";"
#include "results/looks.def"
                                  " }\n}\n";
static const char names_json[] = "{"
#define STATE(kind, id, name, light, dark) "\"" id "\": \"" name "\", "
#define LOOK(id, name, light, dark) "\"" id "\": \"" name "\", "
#include "results/looks.def"
                                 "}";

const char *tlr_page_part(const char *name, size_t length)
{
    static const struct {
        const char *name, *text;
    } parts[] = {{"HEAD", tlr_head_html},          {"REPORT_PAGE", tlr_report_html},
                 {"STYLE", tlr_style_css},         {"COMMON", tlr_common_js},
                 {"COLOURS", colours_css},         {"NAMES", names_json},
                 {"TIMELINE", tlr_timeline_js},    {"REPORT", tlr_report_js},
                 {"VERSUS_PAGE", tlr_versus_html}, {"VERSUS", tlr_versus_js},
                 {"FLAME_PAGE", tlr_flame_html},   {"FLAME", tlr_flame_js},
                 {"LIBRARY", tlr_chart_js}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && !strncmp(parts[i].name, name, length))
            return parts[i].text;
    return NULL;
}
