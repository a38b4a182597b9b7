#include "cli.h"

int cmd_compare(int argc, char **argv)
{
    (void)argc;
    return cli_fail_text(TL_ERR_UNSUPPORTED, "%s: not in this build", argv[0]);
}
