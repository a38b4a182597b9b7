/* page.h - the fixed parts of the pages: HTML, style, scripts and the plotting library. */
#ifndef TLR_PAGE_H
#define TLR_PAGE_H

#include <stddef.h>

/* The text of the part with this name, such as "STYLE"; NULL if there is none. A part may refer to
 * others as @NAME@. @DATA@ is none of them: the data of the page. */
const char *tlr_page_part(const char *name, size_t length);

#endif
