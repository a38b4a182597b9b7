/* platform_xml.c - reads the elements of a platform.xml. */
#include "config.h"

#include "machine/platform_xml.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_DECL_XML_GETCURRENTLINENUMBER64
#define LINE_NUMBER(parser) ((unsigned long)XML_GetCurrentLineNumber64(parser))
#else
#define LINE_NUMBER(parser) ((unsigned long)XML_GetCurrentLineNumber(parser))
#endif

/* ---- SimGrid's DTD ---- */

/* Elements with the attributes that they may have, the elements in which they may be, and their
 * place among the others of the same parent: what has a lower one comes before. */
static const struct rule {
    const char *name, *attributes, *parents;
    tlr_tag tag;
    int place;
} rules[] = {
    {"platform", "version", "", TLR_TAG_PLATFORM, 0},
    {"config", "id", "platform", TLR_TAG_CONFIG, 0},
    {"prop", "id value", "config zone AS cluster host link disk actor process storage storage_type",
     TLR_TAG_PROP, 0},
    {"zone", "id routing", "platform zone AS", TLR_TAG_ZONE, 1},
    {"AS", "id routing", "platform zone AS", TLR_TAG_ZONE, 1},
    {"cluster",
     "id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw "
     "bb_lat bb_sharing_policy router_id limiter_link loopback_bw loopback_lat",
     "platform zone AS", TLR_TAG_CLUSTER, 1},
    {"cabinet", "id prefix suffix radical speed bw lat", "platform zone AS", TLR_TAG_CABINET, 1},
    {"peer", "id speed bw_in bw_out lat coordinates speed_file availability_file state_file",
     "platform zone AS", TLR_TAG_PEER, 1},
    {"host", "id speed core speed_file availability_file state_file coordinates pstate", "zone AS",
     TLR_TAG_HOST, 1},
    {"host_link", "id up down", "zone AS", TLR_TAG_HOST_LINK, 1},
    {"router", "id coordinates", "zone AS", TLR_TAG_ROUTER, 1},
    {"link", "id bandwidth bandwidth_file latency latency_file state_file sharing_policy",
     "zone AS", TLR_TAG_LINK, 1},
    {"backbone", "id bandwidth latency", "zone AS", TLR_TAG_BACKBONE, 1},
    {"route", "src dst symmetrical", "zone AS", TLR_TAG_ROUTE, 2},
    {"zoneRoute", "src dst gw_src gw_dst symmetrical", "zone AS", TLR_TAG_ZONE_ROUTE, 2},
    {"ASroute", "src dst gw_src gw_dst symmetrical", "zone AS", TLR_TAG_ZONE_ROUTE, 2},
    {"bypassRoute", "src dst", "zone AS", TLR_TAG_BYPASS_ROUTE, 2},
    {"bypassZoneRoute", "src dst gw_src gw_dst", "zone AS", TLR_TAG_BYPASS_ZONE_ROUTE, 2},
    {"bypassASroute", "src dst gw_src gw_dst", "zone AS", TLR_TAG_BYPASS_ZONE_ROUTE, 2},
    {"link_ctn", "id direction",
     "route zoneRoute ASroute bypassRoute bypassZoneRoute bypassASroute", TLR_TAG_LINK_CTN, 0},
    {"trace", "id file periodicity", "platform zone AS", TLR_TAG_TRACE, -1},
    {"trace_connect", "kind trace element", "platform zone AS", TLR_TAG_TRACE_CONNECT, -1},
    {"disk", "id read_bw write_bw", "host", TLR_TAG_IGNORED, 0},
    {"random", "id min max mean std_deviation seed radical generator", "platform", TLR_TAG_IGNORED,
     0},
    {"model_prop", "id value", "storage_type", TLR_TAG_IGNORED, 0},
    {"actor", "host function start_time kill_time on_failure", "platform", TLR_TAG_IGNORED, 2},
    {"process", "host function start_time kill_time on_failure", "platform", TLR_TAG_IGNORED, 2},
    {"argument", "value", "actor process", TLR_TAG_IGNORED, 0},
    {"include", "file", "platform zone AS", TLR_TAG_REMOVED, 1},
    {"storage", "id typeId content attach", "zone AS", TLR_TAG_REMOVED, 1},
    {"storage_type", "id model size content", "zone AS", TLR_TAG_REMOVED, 1},
    {"mount", "storageId name", "host", TLR_TAG_REMOVED, 0},
};

/* Whether a word is in a list of words with a space between two of them. */
static bool is_in(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return 1;
    return 0;
}

static const struct rule *find_rule(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].name, name))
            return &rules[i];
    return NULL;
}

/* ---- the file ---- */

enum { MOST_DEPTH = 64 };

typedef struct reading {
    XML_Parser parser;
    const tlr_xml_reader *reader;
    const char *path;
    const struct rule *open[MOST_DEPTH]; /* the elements that have begun */
    int places[MOST_DEPTH];              /* of the element before, in each of them */
    unsigned depth;
    tl_status status;
    tl_error *err;
} reading;

tl_status tlr_xml_fail(const tlr_element *e, tl_status status, tl_error *err, const char *format,
                       ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tl_fail(err, status, "%s:%lu: <%s>: %s", e->path, e->line, tl_printable(e->name), text);
}

static tlr_element element_of(const reading *r, const char *name, const char *const *attributes)
{
    return (tlr_element){
        .name = name, .path = r->path, .line = LINE_NUMBER(r->parser), .attributes = attributes};
}

static void stop(reading *r, tl_status status)
{
    r->status = status;
    if (status != TL_OK)
        XML_StopParser(r->parser, XML_FALSE);
}

static tl_status check_element(reading *r, const struct rule *rule, const tlr_element *e)
{
    const struct rule *parent = r->depth ? r->open[r->depth - 1] : NULL;
    if (!rule)
        return tlr_xml_fail(e, TL_ERR_INPUT, r->err,
                            "SimGrid has no such element; remove it, or correct its name");
    if (rule->tag == TLR_TAG_REMOVED)
        return tlr_xml_fail(e, TL_ERR_INPUT, r->err,
                            "SimGrid does not read this element any more; write a file without it");
    if (parent ? !is_in(rule->parents, parent->name) : rule->tag != TLR_TAG_PLATFORM)
        return tlr_xml_fail(e, TL_ERR_INPUT, r->err, "cannot be in <%s>; move it",
                            parent ? parent->name : "nothing");
    if (r->depth == MOST_DEPTH)
        return tlr_xml_fail(e, TL_ERR_INPUT, r->err, "is in more than %d other elements",
                            MOST_DEPTH);
    if (parent && rule->place >= 0 && rule->place < r->places[r->depth - 1])
        return tlr_xml_fail(e, TL_ERR_INPUT, r->err,
                            "comes too late: SimGrid wants settings first, then hosts and links, "
                            "then routes; move it");
    for (size_t i = 0; e->attributes[i]; i += 2)
        if (!is_in(rule->attributes, e->attributes[i]))
            return tlr_xml_fail(e, TL_ERR_INPUT, r->err,
                                "SimGrid has no attribute '%s' there; remove it, or correct its "
                                "name",
                                tl_printable(e->attributes[i]));
    return TL_OK;
}

/* Versions of the format: 4.0 and 4.1. */
static tl_status check_version(const tlr_element *e, tl_error *err)
{
    const char *text = tlr_xml_value(e, "version");
    const double version = text ? strtod(text, NULL) : 0;
    if (round(version * 100) >= 400 && round(version * 100) <= 410)
        return TL_OK;
    return tlr_xml_fail(e, TL_ERR_INPUT, err,
                        "has the version '%s', which SimGrid does not read; convert the file with "
                        "simgrid_update_xml to version=\"4.1\"",
                        text ? tl_printable(text) : "");
}

static void begin_element(void *arg, const char *name, const char **attributes)
{
    reading *r = arg;
    const struct rule *rule = find_rule(name);
    tlr_element e = element_of(r, name, attributes);
    if (r->status != TL_OK)
        return;
    tl_status status = check_element(r, rule, &e);
    if (status == TL_OK && rule->tag == TLR_TAG_PLATFORM)
        status = check_version(&e, r->err);
    if (status == TL_OK) {
        e.tag = rule->tag;
        e.parent = r->depth ? r->open[r->depth - 1]->tag : rule->tag;
        if (r->depth && rule->place >= 0)
            r->places[r->depth - 1] = rule->place;
        r->places[r->depth] = 0;
        r->open[r->depth++] = rule;
        status = r->reader->begin(r->reader->arg, &e, r->err);
    }
    stop(r, status);
}

static void end_element(void *arg, const char *name)
{
    static const char *const none[] = {NULL};
    reading *r = arg;
    if (r->status != TL_OK)
        return;
    tlr_element e = element_of(r, name, none);
    e.tag = r->open[--r->depth]->tag;
    if (r->reader->end)
        stop(r, r->reader->end(r->reader->arg, &e, r->err));
}

tl_status tlr_xml_read(const char *text, size_t size, const char *path,
                       const tlr_xml_reader *reader, tl_error *err)
{
    reading r = {.parser = XML_ParserCreate(NULL), .reader = reader, .path = path, .err = err};
    if (!r.parser)
        return tl_no_memory(err, path);
    if (size > INT_MAX) {
        XML_ParserFree(r.parser);
        return tl_fail(err, TL_ERR_INPUT, "%s: has more than 2 GiB; write <cluster> elements",
                       path);
    }
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin_element, end_element);
    const enum XML_Status parsed = XML_Parse(r.parser, text, (int)size, XML_TRUE);
    if (r.status == TL_OK && parsed != XML_STATUS_OK)
        r.status = tl_fail(err, TL_ERR_INPUT, "%s:%lu: is not XML: %s; correct it", path,
                           LINE_NUMBER(r.parser), XML_ErrorString(XML_GetErrorCode(r.parser)));
    XML_ParserFree(r.parser);
    return r.status;
}

/* ---- attributes ---- */

const char *tlr_xml_value(const tlr_element *e, const char *name)
{
    for (size_t i = 0; e->attributes[i]; i += 2)
        if (!strcmp(e->attributes[i], name))
            return e->attributes[i + 1];
    return NULL;
}

tl_status tlr_xml_text(const tlr_element *e, const char *name, const char **out, tl_error *err)
{
    *out = tlr_xml_value(e, name);
    return *out ? TL_OK : tlr_xml_fail(e, TL_ERR_INPUT, err, "lacks the attribute '%s'", name);
}

/* The value with an index in a list; 0 if there are fewer. */
static int take_state(const char *text, unsigned index, char *out, size_t size)
{
    const char *at = text;
    for (; index; index--) {
        at += strcspn(at, ",;");
        if (!*at++)
            return 0;
    }
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, ",;");
    while (length && strchr(" \t\r\n", at[length - 1]))
        length--;
    return snprintf(out, size, "%.*s", (int)length, at) < (int)size;
}

tl_status tlr_xml_quantity(const tlr_element *e, const char *name, tl_quantity kind, unsigned index,
                           double fallback, double *out, tl_error *err)
{
    static const char *const examples[] = {"10Gbps", "5us", "3Gf"};
    const char *text = tlr_xml_value(e, name);
    char value[64] = "", *rest;
    *out = fallback;
    if (!text && fallback >= 0)
        return TL_OK;
    if (!text)
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "lacks the attribute '%s'", name);
    if (!*text && fallback >= 0)
        return TL_OK;
    if (take_state(text, index, value, sizeof value)) {
        const double number = strtod(value, &rest);
        const bool is_bare = rest != value && !*rest && !strpbrk(value, "xX");
        if (is_bare)
            *out = number;
        if ((is_bare || tl_quantity_parse(value, kind, out)) && *out >= 0 && isfinite(*out))
            return TL_OK;
    }
    return tlr_xml_fail(e, TL_ERR_INPUT, err,
                        "%s=\"%s\" cannot be read; write a number with a unit, as %s", name,
                        tl_printable(text), examples[kind]);
}

static int take_number(const char **at, long *out)
{
    char *end;
    *out = strtol(*at, &end, 10);
    if (end == *at || *out < 0 || *out > INT_MAX)
        return 0;
    *at = end + strspn(end, " \t\r\n");
    return 1;
}

tl_status tlr_xml_radical(const tlr_element *e,
                          tl_status (*take)(void *arg, long first, long last, tl_error *err),
                          void *arg, tl_error *err)
{
    const char *text;
    tl_status status = tlr_xml_text(e, "radical", &text, err);
    for (const char *at = text; status == TL_OK; at++) {
        long first, last;
        bool is_range = take_number(&at, &first);
        last = first;
        if (is_range && *at == '-') {
            at++;
            is_range = take_number(&at, &last);
        }
        if (!is_range || (*at && *at != ','))
            return tlr_xml_fail(e, TL_ERR_INPUT, err,
                                "the radical '%s' cannot be understood; write numbers, as in "
                                "0-15,20",
                                tl_printable(text));
        status = take(arg, first, last, err);
        if (!*at)
            break;
    }
    return status;
}
