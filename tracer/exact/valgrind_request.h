/* valgrind_request.h - the client request by which the tracer queries our Valgrind tool. */
#ifndef TLT_VALGRIND_REQUEST_H
#define TLT_VALGRIND_REQUEST_H

#include <valgrind/valgrind.h>

#define TLT_VALGRIND_ASK VG_USERREQ_TOOL_BASE('T', 'L')

#endif
