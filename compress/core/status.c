/* status.c - the texts and exit codes of tl_status; the version. */
#include "timeless.h"

const char *tl_version(void)
{
    return TIMELESS_VERSION;
}

int tl_version_number(void)
{
    return TIMELESS_VERSION_NUMBER;
}

const char *tl_status_text(tl_status status)
{
    switch (status) {
    case TL_OK: return "ok";
    case TL_END: return "no further event";
    case TL_ERR_SYSTEM: return "the operating system refused";
    case TL_ERR_MEMORY: return "out of memory";
    case TL_ERR_NOT_A_TRACE: return "not a Timeless trace";
    case TL_ERR_VERSION: return "written by a newer, incompatible version";
    case TL_ERR_TRUNCATED: return "the file ends too early";
    case TL_ERR_CORRUPT: return "the file is damaged";
    case TL_ERR_LIMIT: return "beyond a limit of the format";
    case TL_ERR_NO_RANK: return "no such rank";
    case TL_ERR_INPUT: return "wrong input";
    case TL_ERR_UNSUPPORTED: return "not supported";
    case TL_ERR_USAGE: return "wrong argument";
    case TL_STATUS_USER: break;
    }
    return "unknown status";
}

int tl_status_exit_code(tl_status status)
{
    switch (status) {
    case TL_OK:
    case TL_END: return 0;
    case TL_ERR_USAGE: return 2;
    case TL_ERR_SYSTEM:
    case TL_ERR_MEMORY: return 4;
    default: return 3;
    }
}
