/* report_page.c - the fixed parts of every report, as text: report.html and the plotting library.
 */
#include "config.h"

#include "report_page.h"

#define INCLUDE_TEXT(name, path)                                                                   \
    __asm__(".pushsection .rodata\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n");     \
    extern const char name[] __attribute__((visibility("hidden")))

INCLUDE_TEXT(tlr_page_text, REPORT_HTML);
INCLUDE_TEXT(tlr_chart_text, CHART_JS);

const char *tlr_report_page(void)
{
    return tlr_page_text;
}

const char *tlr_report_chart(void)
{
    return tlr_chart_text;
}
