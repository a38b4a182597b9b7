/* report_page.h - the fixed parts of every report. */
#ifndef TLR_REPORT_PAGE_H
#define TLR_REPORT_PAGE_H

/* The page. The data replace @DATA@ in it, and the plotting library replaces @LIBRARY@. */
const char *tlr_report_page(void);
const char *tlr_report_chart(void);

#endif
