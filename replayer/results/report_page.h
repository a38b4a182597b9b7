/* report_page.h - what stands in every report. */
#ifndef TLR_REPORT_PAGE_H
#define TLR_REPORT_PAGE_H

/* The page, in which @DATA@ and @LIBRARY@ stand for what they say. */
const char *tlr_report_page(void);
const char *tlr_report_chart(void);

#endif
