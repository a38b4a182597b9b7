/* names.c - names of functions as people write them. */
#include "config.h"

#include "names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *mangled, char *room, size_t *size, int *status);

/* The C++ runtime is there if the program is in C++. A program in C does not need it here. */
static demangle_function *find_demangle(void)
{
    static demangle_function *found;
    static int looked;
    if (looked)
        return found;
    looked = 1;
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    void *address = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&found, &address, sizeof found);
    return found;
}

/* Removes the arguments: everything from the '(' that belongs to the last ')'. "(anonymous
 * namespace)::f(int) const" is "(anonymous namespace)::f". */
static void cut_arguments(char *name)
{
    char *end = strrchr(name, ')');
    int depth = 0;
    for (char *p = end; p && p >= name; p--) {
        depth += (*p == ')') - (*p == '(');
        if (!depth && p > name && strncmp(p, "(anonymous namespace)", 21) != 0) {
            *p = 0;
            return;
        }
        if (!depth)
            return;
    }
}

char *tls_function_name(const char *symbol)
{
    char *name;
    if (!strncmp(symbol, "_Z", 2)) {
        int status = 0;
        demangle_function *demangle = find_demangle();
        name = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
        if (name)
            cut_arguments(name);
        return name ? name : strdup(symbol);
    }
    const char *module = strstr(symbol, "_MOD_");
    if (!strncmp(symbol, "__", 2) && module && module > symbol + 2)
        return asprintf(&name, "%.*s::%s", (int)(module - symbol - 2), symbol + 2, module + 5) < 0
                   ? NULL
                   : name;
    const size_t length = strlen(symbol);
    if (length > 1 && symbol[length - 1] == '_' && symbol[length - 2] != '_' && symbol[0] != '_')
        return strndup(symbol, length - 1);
    return strdup(symbol);
}
