/* SPDX-License-Identifier: MIT
 * What a state object consists of once its subobjects are put together: exports, hit groups, which subobject is
 * associated with which export, what is missing. Plain structures in, plain structures out: no COM, no compiler; the
 * rules are those of Raytracing.md "State objects". Called by state_object.c; the result goes to state_object_compile.c
 * and, for collections, into the linking of the objects that include them.
 *
 * Names are UTF-8. A function has a mangled name ("\01?F@@YAXXZ"; the leading \01 may be absent) and an unmangled one. */
#ifndef CDXR_D3D12_STATE_OBJECT_LINK_H
#define CDXR_D3D12_STATE_OBJECT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "dxil/rdat.h"
#include "dxil/root_signature.h"

/* Kinds of subobjects that can be associated with exports. */
enum so_slot {
    SO_SLOT_STATE_OBJECT_CONFIG,
    SO_SLOT_GLOBAL_ROOT_SIGNATURE,
    SO_SLOT_LOCAL_ROOT_SIGNATURE,
    SO_SLOT_NODE_MASK,
    SO_SLOT_SHADER_CONFIG,
    SO_SLOT_PIPELINE_CONFIG, /* RAYTRACING_PIPELINE_CONFIG and _CONFIG1: the former has flags 0 */
    SO_SLOT_COUNT,
};

enum so_flag { /* D3D12_STATE_OBJECT_FLAGS */
    SO_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS = 0x1,
    SO_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS = 0x2,
    SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS = 0x4,
    SO_FLAG_ALL = 0x7,
};

enum so_shader_kind { /* DXIL::ShaderKind */
    SO_SHADER_LIBRARY = 6, /* an ordinary function */
    SO_SHADER_RAY_GENERATION = 7,
    SO_SHADER_INTERSECTION = 8,
    SO_SHADER_ANY_HIT = 9,
    SO_SHADER_CLOSEST_HIT = 10,
    SO_SHADER_MISS = 11,
    SO_SHADER_CALLABLE = 12,
};

/* A subobject that can be associated. Two definitions are the same when kind and content are. */
struct so_definition {
    enum so_slot slot;
    const char *label; /* for messages: "subobject 3" or its name in the library */
    const struct dxil_root_signature *root_signature; /* root signature slots */
    void *owner;        /* COM object of the root signature, NULL when it came from a library; opaque here */
    uint32_t values[2]; /* configs: flags; mask; payload and attribute bytes; recursion depth and flags */
};

/* One entry of D3D12_EXPORT_DESC. */
struct so_export_input {
    const char *name;
    const char *export_to_rename; /* NULL: not renamed */
    uint32_t flags;
};

struct so_library_input {
    uint32_t subobject_index; /* for messages */
    const struct dxil_rdat *rdat;
    void *user;       /* handed through to so_export.library */
    const bool *ignore_payload_limit; /* by function of rdat: its payload has payload access qualifiers; NULL: none has */
    const struct so_export_input *exports;
    uint32_t export_count; /* 0: everything */
};

struct abi_group; /* abi/thread.h */
struct so_linked;
struct so_collection_input {
    uint32_t subobject_index;
    const struct so_linked *linked;
    const struct so_export_input *exports;
    uint32_t export_count;
};

struct so_hit_group_input {
    const char *name;
    uint32_t type; /* D3D12_HIT_GROUP_TYPE */
    const char *any_hit, *closest_hit, *intersection; /* NULL: none */
};

struct so_association_input {
    uint32_t subobject_index;
    const struct so_definition *definition; /* API subobject, or NULL: by name */
    const char *dxil_name;
    const char *const *exports;
    uint32_t export_count; /* 0: an explicit default association */
};

/* All pointers are borrowed and must outlive the result. */
struct so_input {
    bool is_executable; /* raytracing pipeline; false: collection */
    const struct so_library_input *libraries;
    uint32_t library_count;
    const struct so_collection_input *collections;
    uint32_t collection_count;
    const struct so_definition *definitions;
    uint32_t definition_count;
    const struct so_association_input *associations;
    uint32_t association_count;
    const struct so_hit_group_input *hit_groups;
    uint32_t hit_group_count;
    const struct so_linked *grow_from; /* AddToStateObject; else NULL */
};

enum so_export_kind { SO_EXPORT_FUNCTION, SO_EXPORT_HIT_GROUP };

struct so_export {
    enum so_export_kind kind;
    const char *name;    /* what the application calls it */
    const char *mangled; /* functions: name by which other functions import it, after renaming */
    /* functions */
    const struct dxil_rdat_function *function;
    const struct so_library_input *library;
    /* hit groups; a component that is not found yet is NULL with its import name set */
    uint32_t hit_group_type;
    const char *any_hit_name, *closest_hit_name, *intersection_name;
    struct so_export *any_hit, *closest_hit, *intersection;

    const struct so_export *origin; /* the export of an included collection that this is; NULL: own */
    const struct so_linked *home;   /* object whose exports its imports see first */
    const struct so_definition *definitions[SO_SLOT_COUNT]; /* what is associated, NULL: nothing */
    uint8_t levels[SO_SLOT_COUNT];                          /* how strongly; see state_object_associate.c */
    bool in_hit_group; /* an own hit group uses this shader: its associations are the group's */
    bool is_resolved;  /* entry points: everything needed to run is there */
    bool is_dropped;   /* resolved, but its shader config does not fit the pipeline's: no identifier */
    const struct abi_group *group; /* entry points that can run: set by state_object_compile.c */
};

/* An import of a function of this object that another one of it defines. */
struct so_import {
    const struct so_linked *home; /* of the functions that declare it */
    const char *name;             /* as declared */
    const struct so_export *target;
};

/* An association of a collection that reaches outside: settled when the collection is included. */
struct so_pending {
    uint32_t subobject_index;               /* in the collection's description */
    const struct so_definition *definition; /* or NULL: */
    const char *dxil_name;                  /* a subobject that some DXIL library will define */
    const char *export;                     /* NULL: default association of the collection's exports */
};

struct so_linked {
    struct arena arena;
    bool is_executable;
    uint32_t flags; /* enum so_flag */
    struct so_export *exports;
    uint32_t export_count;
    struct so_name_table *names;
    const struct so_definition *shader_config;   /* of the object; NULL in collections that leave it open */
    const struct so_definition *pipeline_config;
    struct so_import *imports; /* resolved dependencies of own functions */
    uint32_t import_count;
    struct so_pending *pending;
    uint32_t pending_count;
    struct dxil_root_signature **root_signatures; /* parsed from libraries; owned */
    uint32_t root_signature_count;
    struct reason warning; /* text of what was tolerated; empty: nothing */
    bool has_unresolved;   /* collections: some exports wait for definitions */
};

/* STATUS_INVALID: a rule is broken; the reason names the export or subobject and the rule. *linked is created on success. */
MUST_USE enum status so_link(const struct so_input *input, struct so_linked **linked, struct reason *reason);
void so_linked_destroy(struct so_linked *linked);

/* The entry point or function with this name; entry points win over functions. *is_ambiguous: only an unmangled name of
 * several functions; NULL then. is_ambiguous may be NULL. */
struct so_export *so_linked_find(const struct so_linked *linked, const char *name, bool *is_ambiguous);

bool so_definition_equal(const struct so_definition *a, const struct so_definition *b);
const char *so_slot_name(enum so_slot slot);
const char *so_shader_kind_name(uint32_t shader_kind);
/* Raygen, miss, callable shaders and hit groups: what has an identifier. */
bool so_export_is_entry(const struct so_export *export);
/* Any raytracing shader (not a plain function, not a hit group). */
bool so_export_is_shader(const struct so_export *export);

#endif
