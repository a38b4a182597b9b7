/* valgrind_request.h - the client request with which the tracer asks our Valgrind tool. */
#ifndef TLT_VALGRIND_REQUEST_H
#define TLT_VALGRIND_REQUEST_H

#include <valgrind/valgrind.h>

#define TLT_VALGRIND_ASK VG_USERREQ_TOOL_BASE('T', 'L')

#endif
