/* SPDX-License-Identifier: MIT
 * The catalogue of rules that messages are about. One row a rule: name, severity, category, number of the message
 * (D3D12_MESSAGE_ID where the debug layer of D3D12 has one; else a number of our own above 100000).
 * Severity: CORRUPTION, ERROR, WARNING, INFO, MESSAGE as D3D12_MESSAGE_SEVERITY. Rooms add rows here. */
#ifndef CDXR_VALIDATE_RULES_H
#define CDXR_VALIDATE_RULES_H

enum message_severity { /* D3D12_MESSAGE_SEVERITY */
    MESSAGE_SEVERITY_CORRUPTION = 0,
    MESSAGE_SEVERITY_ERROR = 1,
    MESSAGE_SEVERITY_WARNING = 2,
    MESSAGE_SEVERITY_INFO = 3,
    MESSAGE_SEVERITY_MESSAGE = 4,
    MESSAGE_SEVERITY_COUNT,
};

enum message_category { /* D3D12_MESSAGE_CATEGORY */
    MESSAGE_CATEGORY_APPLICATION_DEFINED = 0,
    MESSAGE_CATEGORY_MISCELLANEOUS = 1,
    MESSAGE_CATEGORY_INITIALIZATION = 2,
    MESSAGE_CATEGORY_CLEANUP = 3,
    MESSAGE_CATEGORY_COMPILATION = 4,
    MESSAGE_CATEGORY_STATE_CREATION = 5,
    MESSAGE_CATEGORY_STATE_SETTING = 6,
    MESSAGE_CATEGORY_STATE_GETTING = 7,
    MESSAGE_CATEGORY_RESOURCE_MANIPULATION = 8,
    MESSAGE_CATEGORY_EXECUTION = 9,
    MESSAGE_CATEGORY_SHADER = 10,
    MESSAGE_CATEGORY_COUNT,
};

/* X(name, severity, category, message number) */
#define VALIDATE_RULES(X)                                                                                    \
    /* objects and the device */                                                                             \
    X(DEVICE_CREATION, ERROR, INITIALIZATION, 100001)                                                        \
    X(DEVICE_REMOVED, ERROR, EXECUTION, 232)                                                                 \
    X(NOT_IMPLEMENTED, ERROR, MISCELLANEOUS, 100002)                                                         \
    X(BAD_ARGUMENT, ERROR, MISCELLANEOUS, 100003)                                                            \
    X(OUT_OF_MEMORY, ERROR, MISCELLANEOUS, 100004)                                                           \
    X(FEATURE_QUERY, ERROR, MISCELLANEOUS, 100005)                                                           \
    X(RELEASED_WHILE_IN_USE, ERROR, EXECUTION, 921)                                                          \
    /* heaps and resources */                                                                                \
    X(HEAP_DESCRIPTION, ERROR, STATE_CREATION, 632)                                                          \
    X(RESOURCE_DESCRIPTION, ERROR, STATE_CREATION, 604)                                                      \
    X(RESOURCE_DIMENSIONS, ERROR, STATE_CREATION, 597)                                                       \
    X(RESOURCE_FORMAT, ERROR, STATE_CREATION, 738)                                                           \
    X(RESOURCE_FLAGS, ERROR, STATE_CREATION, 599)                                                            \
    X(RESOURCE_LAYOUT, ERROR, STATE_CREATION, 724)                                                           \
    X(RESOURCE_HEAP, ERROR, STATE_CREATION, 638)                                                             \
    X(RESOURCE_INITIAL_STATE, ERROR, STATE_CREATION, 100006)                                                    \
    X(RESOURCE_CLEAR_VALUE, ERROR, STATE_CREATION, 815)                                                      \
    X(RESOURCE_PLACEMENT, ERROR, STATE_CREATION, 100007)                                                        \
    X(RESOURCE_MAP, ERROR, RESOURCE_MANIPULATION, 833)                                                       \
    X(RESOURCE_UNMAP, ERROR, RESOURCE_MANIPULATION, 310)                                                     \
    X(SUBRESOURCE_ACCESS, ERROR, RESOURCE_MANIPULATION, 100010)                                              \
    X(SHARED_HANDLE, ERROR, MISCELLANEOUS, 100011)                                                           \
    /* descriptors */                                                                                        \
    X(DESCRIPTOR_HEAP, ERROR, STATE_CREATION, 645)                                                           \
    X(DESCRIPTOR_HANDLE, ERROR, STATE_CREATION, 646)                                                         \
    X(CONSTANT_BUFFER_VIEW, ERROR, STATE_CREATION, 100022)                                                      \
    X(SHADER_RESOURCE_VIEW, ERROR, STATE_CREATION, 27)                                                       \
    X(UNORDERED_ACCESS_VIEW, ERROR, STATE_CREATION, 341)                                                     \
    X(RENDER_TARGET_VIEW, ERROR, STATE_CREATION, 100023)                                                         \
    X(DEPTH_STENCIL_VIEW, ERROR, STATE_CREATION, 100024)                                                         \
    X(SAMPLER, ERROR, STATE_CREATION, 100020)                                                                \
    X(COPY_DESCRIPTORS, ERROR, STATE_CREATION, 653)                                                          \
    X(DESCRIPTOR_USE, ERROR, SHADER, 939)                                                                 \
    /* root signatures and pipelines */                                                                      \
    X(ROOT_SIGNATURE, ERROR, STATE_CREATION, 698)                                                            \
    X(ROOT_SIGNATURE_SERIALIZE, ERROR, STATE_CREATION, 100025)                                                  \
    X(ROOT_ARGUMENT, ERROR, EXECUTION, 708)                                                                  \
    X(PIPELINE_STATE, ERROR, STATE_CREATION, 100026)                                                             \
    X(PIPELINE_LIBRARY, ERROR, STATE_CREATION, 100027)                                                          \
    X(STATE_OBJECT, ERROR, STATE_CREATION, 1194)                                                             \
    X(STATE_OBJECT_NOTE, WARNING, STATE_CREATION, 100028)                                                    \
    X(PIPELINE_STACK, ERROR, STATE_SETTING, 100029)                                                          \
    /* lists, queues, fences */                                                                              \
    X(COMMAND_QUEUE, ERROR, EXECUTION, 100030)                                                               \
    X(COMMAND_ALLOCATOR, ERROR, EXECUTION, 552)                                                              \
    X(COMMAND_LIST_STATE, ERROR, EXECUTION, 547)                                                             \
    X(COMMAND_LIST_ARGUMENT, ERROR, EXECUTION, 100031)                                                       \
    X(COMMAND_SIGNATURE, ERROR, STATE_CREATION, 100032)                                                      \
    X(FENCE, ERROR, EXECUTION, 100033)                                                                       \
    X(QUERY, ERROR, EXECUTION, 100034)                                                                       \
    X(BARRIER, ERROR, EXECUTION, 526)                                                                        \
    X(RESOURCE_STATE, ERROR, EXECUTION, 527)                                                                 \
    X(COPY, ERROR, EXECUTION, 100035)                                                                        \
    X(GRAPHICS_IGNORED, WARNING, EXECUTION, 100036)                                                          \
    /* acceleration structures and dispatch */                                                               \
    X(ACCELERATION_STRUCTURE_BUILD, ERROR, EXECUTION, 1158)                                                  \
    X(ACCELERATION_STRUCTURE_COPY, ERROR, EXECUTION, 1160)                                                   \
    X(ACCELERATION_STRUCTURE_POSTBUILD, ERROR, EXECUTION, 1159)                                              \
    X(ACCELERATION_STRUCTURE_PREBUILD, ERROR, STATE_CREATION, 1162)                                          \
    X(ACCELERATION_STRUCTURE_STATE, ERROR, EXECUTION, 100040)                                                \
    X(DISPATCH, ERROR, EXECUTION, 100041)                                                                    \
    X(DISPATCH_RAYS, ERROR, EXECUTION, 1161)                                                                 \
    X(SHADER_TABLE, ERROR, EXECUTION, 100042)                                                                \
    X(SHADER_FAULT, ERROR, SHADER, 100043)                                                                   \
    X(OPACITY_MICROMAPS, WARNING, EXECUTION, 100044)

enum rule {
#define X(name, severity, category, number) RULE_##name,
    VALIDATE_RULES(X)
#undef X
        RULE_COUNT,
};

struct rule_info {
    const char *name;
    enum message_severity severity;
    enum message_category category;
    int number;
};
const struct rule_info *rule_info_of(enum rule rule);

#endif
