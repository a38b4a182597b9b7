/* module.c - finds and loads the shared object of an engine. */
#include "config.h"

#include "module.h"

#include "installed.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SMPI_OBJECT "libtimeless-smpi.so"

#ifdef __SANITIZE_ADDRESS__
/* SimGrid's collectives continue to use memory that they have freed (smpi/shims/memory.c). The
 * sanitizer's operator delete cannot keep this memory for them. Calls of memcpy and similar
 * functions with SimGrid on the stack are therefore not reported; this includes the module's own
 * calls in a rank. */
const char *__asan_default_suppressions(void) __attribute__((visibility("default")));

const char *__asan_default_suppressions(void)
{
    return "interceptor_via_lib:libsimgrid.so";
}
#endif

/* If the object is not beside the program, the loader searches for it among the libraries. It stays
 * loaded, because SimGrid cannot be unloaded. */
static tl_status open_object(const char *name, void **out, char *path, size_t size, tl_error *err)
{
    if (!tlr_installed(TLR_PLACE_LIBRARIES, name, "replayer/.libs", path, size))
        snprintf(path, size, "%s", name);
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out)
        return TL_OK;
    return tl_fail(err, TL_ERR_SYSTEM, "%s; install Timeless with this engine, and SimGrid",
                   dlerror());
}

static tl_status load_smpi(const tlr_engine **out, tl_error *err)
{
    static const tlr_engine *loaded;
    void *object = NULL;
    char path[PATH_MAX];
    tl_status status = TL_OK;
    if (!loaded && (status = open_object(SMPI_OBJECT, &object, path, sizeof path, err)) == TL_OK) {
        const tlr_module *module = dlsym(object, TLR_MODULE_SYMBOL);
        if (!module || strcmp(module->version, PACKAGE_VERSION) != 0 ||
            module->options_bytes != sizeof(tlr_options) ||
            module->prediction_bytes != sizeof(tlr_prediction))
            status = tl_fail(err, TL_ERR_SYSTEM,
                             "%s: belongs to another build of Timeless; install both again", path);
        else
            loaded = module->engine;
    }
    *out = loaded;
    return status;
}

static tl_status load(tl_error *err)
{
    const tlr_engine *engine;
    return load_smpi(&engine, err);
}

static tl_status replay_smpi(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                             const tlr_model *model, const tlr_options *options,
                             tlr_prediction *const *out, tl_error *err)
{
    const tlr_engine *engine;
    TL_TRY(load_smpi(&engine, err));
    return engine->replay(jobs, n_jobs, platform, model, options, out, err);
}

static tl_status algorithms(const char *collective, char **out, tl_error *err)
{
    const tlr_engine *engine;
    TL_TRY(load_smpi(&engine, err));
    return engine->algorithms(collective, out, err);
}

const tlr_engine tlr_engine_smpi = {
    .name = "smpi",
    .summary = "SimGrid's SMPI: topology and contention",
    .load = load,
    .replay = replay_smpi,
    .algorithms = algorithms,
    .needs_platform = 1,
};
