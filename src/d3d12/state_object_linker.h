/* SPDX-License-Identifier: MIT
 * Private to state_object_link.c and its neighbours: the working state of one so_link call. The steps, in order:
 * names (exports of libraries and collections, hit groups), associations, checks. */
#ifndef CDXR_D3D12_STATE_OBJECT_LINKER_H
#define CDXR_D3D12_STATE_OBJECT_LINKER_H

#include "d3d12/state_object_link.h"

/* How an association came about; a higher level overrides a lower one (Raytracing.md "Subobject association behavior"
 * and "Exception: overriding DXIL library associations"). */
enum so_level {
    SO_LEVEL_NONE = 0,
    SO_LEVEL_LIBRARY_IMPLICIT, /* subobject of the library that no association of the library mentions */
    SO_LEVEL_LIBRARY_DEFAULT,  /* association with an empty export list in the library */
    SO_LEVEL_LIBRARY_EXPLICIT,
    SO_LEVEL_OBJECT_IMPLICIT, /* the same three at state object scope */
    SO_LEVEL_OBJECT_DEFAULT,
    SO_LEVEL_OBJECT_EXPLICIT,
    SO_LEVEL_INHERITED, /* settled in an included collection: cannot be overridden */
};

/* A DXIL library with what of it takes part. */
struct so_library_scope {
    const struct so_library_input *input;
    bool exports_all;
    bool *subobject_included;             /* [rdat->subobject_count] */
    struct so_definition **definitions;   /* [rdat->subobject_count]; NULL: not associable or not included */
};

struct so_linker {
    const struct so_input *input;
    struct so_linked *linked;
    struct reason *reason;
    struct so_library_scope *libraries; /* [input->library_count] */
    uint32_t export_capacity;
    bool is_default_ambiguous[SO_SLOT_COUNT]; /* several unassociated candidates at one scope: none was taken */
    const struct so_definition *object_defaults[SO_SLOT_COUNT];
};

/* state_object_names.c */
MUST_USE enum status so_collect_exports(struct so_linker *linker);
MUST_USE enum status so_resolve_hit_groups(struct so_linker *linker);
/* Export of this object or, failing that, nothing; found for an import of `from` (its home object first, then this one
 * as far as the collections allow it). *is_forbidden: it exists in a collection that allows no external dependencies. */
const struct so_export *so_find_import(const struct so_linker *linker, const struct so_export *from, const char *name,
                                       bool *is_forbidden);
bool so_names_equal(const char *a, const char *b);

/* state_object_associate.c */
MUST_USE enum status so_collect_definitions(struct so_linker *linker);
MUST_USE enum status so_associate(struct so_linker *linker);

/* state_object_check.c */
MUST_USE enum status so_check(struct so_linker *linker);

/* state_object_bindings.c: every register that the shader declares has one root argument. Also names what is missing. */
struct so_binding_check {
    const struct so_export *export; /* for messages */
    const struct so_library_input *library;
    const struct dxil_rdat_function *function;
    const struct dxil_root_signature *global, *local;
};
MUST_USE enum status so_check_bindings(const struct so_binding_check *check, struct reason *reason);
/* No register may be defined by both. */
MUST_USE enum status so_check_overlap(const struct dxil_root_signature *global, const struct dxil_root_signature *local,
                                      const char *export_name, struct reason *reason);
/* One resource of a shader against one or two root signatures; label: "export 'X'" or "compute shader". */
MUST_USE enum status so_check_resource(const char *label, const struct dxil_rdat_resource *resource,
                                       const struct dxil_root_signature *global,
                                       const struct dxil_root_signature *local, struct reason *reason);

#endif
