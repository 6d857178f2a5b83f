/* SPDX-License-Identifier: MIT
 * First member of every COM class, and the IUnknown, ID3D12Object and ID3D12DeviceChild methods, written once.
 *
 * A class is a struct whose first member is `struct com_object object`. The pointer that the application holds is the
 * address of that struct: object.vtable is the interface's lpVtbl. One const vtable per class at the newest interface
 * version; older versions share its prefix, so QueryInterface answers them with the same pointer. A class may carry
 * second interfaces as members of type struct com_interface.
 *
 * Two counts. app_count is what AddRef and Release return. internal_count is held by the library (a command list in
 * flight, a child's device); all application references together hold one internal reference. The object is destroyed
 * when internal_count falls to zero. A child holds its device: an application reference while its own app_count is above
 * zero (so that counts look as on Windows), and an internal one until it is destroyed. */
#ifndef CDXR_COM_OBJECT_H
#define CDXR_COM_OBJECT_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/status.h"
#include "com/private_data.h"
#include "com/result.h"
#include "com/windows.h"

struct com_object;

/* A second interface inside an object: a member of the class's struct, its vtable's methods stamped by
 * COM_UNKNOWN_METHODS_AT. */
struct com_interface {
    const void *vtable;
};

/* An IID that QueryInterface answers, and where in the object the interface is (0: the object itself). */
struct com_iid_offset {
    const IID *iid;
    size_t offset;
};

struct com_class {
    const char *name; /* "ID3D12Resource", for messages */
    const struct com_iid_offset *interfaces;
    size_t interface_count;
    /* Free the object. Called once, by whoever dropped the last internal reference; calls com_object_finish. */
    void (*destroy)(struct com_object *object);
    /* May be NULL. Called when app_count has fallen to zero, instead of dropping the internal reference that the
     * application's references held: the function now owns that reference (DESIGN.md: a resource released while in
     * use lives until the work in flight is done). */
    void (*retire)(struct com_object *object);
    /* May be NULL. Answers IIDs that depend on the object's state, after the table: NULL or the interface pointer. */
    void *(*find_interface)(struct com_object *object, const IID *iid);
    bool hides_unknown; /* QueryInterface refuses IUnknown, as the runtime's root signature deserializers do */
};

struct com_object {
    const void *vtable;
    const struct com_class *class;
    _Atomic uint32_t app_count;
    _Atomic uint32_t internal_count;
    struct com_object *device; /* NULL for the device itself and for objects without a device */
    struct com_private_data private_data;
    _Atomic(char *) name; /* UTF-8 of SetName; replaced names are kept until the object dies, so readers need no lock */
    struct com_old_name *old_names;
};

/* Set up an object with app_count 1 and internal_count 1, holding device (may be NULL). */
void com_object_init(struct com_object *object, const struct com_class *class, const void *vtable,
                     struct com_object *device);
/* Last step of a class's destroy: frees what com_object_init and the ID3D12Object methods made, and lets go of the device.
 * The struct's memory is the class's to free AFTER this call; the device may be gone after it. */
void com_object_finish(struct com_object *object);
/* Undo com_object_init in a constructor that fails: as finish, and gives back the device's application reference. */
void com_object_abandon(struct com_object *object);

ULONG com_object_add_ref(struct com_object *object);
ULONG com_object_release(struct com_object *object);
/* Internal references. NULL is allowed. */
void com_object_hold(struct com_object *object);
void com_object_drop(struct com_object *object);
/* Add an application reference unless app_count is zero; false then. For singletons. */
bool com_object_try_add_ref(struct com_object *object);

HRESULT com_object_query_interface(struct com_object *object, const IID *iid, void **out);
/* Tail of every CreateX: *out = the interface that riid names, dropping the creation reference either way. out NULL:
 * S_FALSE (the "does it work" form), the object is released. */
HRESULT com_object_return(struct com_object *object, const IID *iid, void **out);
HRESULT com_object_get_private_data(struct com_object *object, const GUID *guid, UINT *byte_count, void *out);
HRESULT com_object_set_private_data(struct com_object *object, const GUID *guid, UINT byte_count, const void *data);
HRESULT com_object_set_private_data_interface(struct com_object *object, const GUID *guid, const IUnknown *unknown);
HRESULT com_object_set_name(struct com_object *object, const WCHAR *name);
HRESULT com_object_get_device(struct com_object *object, const IID *iid, void **out);
/* Name given by the application, or "unnamed"; valid as long as the object. */
const char *com_object_name(const struct com_object *object);

static inline bool com_iid_equal(const IID *a, const IID *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Object behind an interface pointer from the application, or NULL when it is NULL or not of our class. */
static inline void *com_object_from_interface(const void *interface_pointer, const void *vtable)
{
    const struct com_object *object = interface_pointer;
    return object && object->vtable == vtable ? (void *)object : NULL;
}

/* One log line per method name and process: "METHOD is not implemented". Returns E_NOTIMPL. */
HRESULT com_not_implemented(const char *method);

/* Typed forwarders. prefix: d3d12_resource; iface: ID3D12Resource2. Used before the class's vtable is defined. */
#define COM_UNKNOWN_METHODS(prefix, iface)                                                                   \
    static HRESULT STDMETHODCALLTYPE prefix##_QueryInterface(iface *self, REFIID riid, void **out)           \
    {                                                                                                        \
        return com_object_query_interface((struct com_object *)self, riid, out);                             \
    }                                                                                                        \
    static ULONG STDMETHODCALLTYPE prefix##_AddRef(iface *self)                                              \
    {                                                                                                        \
        return com_object_add_ref((struct com_object *)self);                                                \
    }                                                                                                        \
    static ULONG STDMETHODCALLTYPE prefix##_Release(iface *self)                                             \
    {                                                                                                        \
        return com_object_release((struct com_object *)self);                                                \
    }

#define COM_OBJECT_METHODS(prefix, iface)                                                                    \
    COM_UNKNOWN_METHODS(prefix, iface)                                                                       \
    static HRESULT STDMETHODCALLTYPE prefix##_GetPrivateData(iface *self, REFGUID guid, UINT *byte_count,    \
                                                             void *data)                                     \
    {                                                                                                        \
        return com_object_get_private_data((struct com_object *)self, guid, byte_count, data);               \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE prefix##_SetPrivateData(iface *self, REFGUID guid, UINT byte_count,     \
                                                             const void *data)                               \
    {                                                                                                        \
        return com_object_set_private_data((struct com_object *)self, guid, byte_count, data);               \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE prefix##_SetPrivateDataInterface(iface *self, REFGUID guid,             \
                                                                      const IUnknown *unknown)               \
    {                                                                                                        \
        return com_object_set_private_data_interface((struct com_object *)self, guid, unknown);              \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE prefix##_SetName(iface *self, LPCWSTR name)                             \
    {                                                                                                        \
        return com_object_set_name((struct com_object *)self, name);                                         \
    }

#define COM_DEVICE_CHILD_METHODS(prefix, iface)                                                              \
    COM_OBJECT_METHODS(prefix, iface)                                                                        \
    static HRESULT STDMETHODCALLTYPE prefix##_GetDevice(iface *self, REFIID riid, void **out)                \
    {                                                                                                        \
        return com_object_get_device((struct com_object *)self, riid, out);                                  \
    }

/* IUnknown of a second interface that is the member `member` of struct type. */
#define COM_UNKNOWN_METHODS_AT(prefix, iface, type, member)                                                  \
    static struct com_object *prefix##_object(iface *self)                                                   \
    {                                                                                                        \
        return (struct com_object *)((char *)self - offsetof(struct type, member));                          \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE prefix##_QueryInterface(iface *self, REFIID riid, void **out)           \
    {                                                                                                        \
        return com_object_query_interface(prefix##_object(self), riid, out);                                 \
    }                                                                                                        \
    static ULONG STDMETHODCALLTYPE prefix##_AddRef(iface *self)                                              \
    {                                                                                                        \
        return com_object_add_ref(prefix##_object(self));                                                    \
    }                                                                                                        \
    static ULONG STDMETHODCALLTYPE prefix##_Release(iface *self)                                             \
    {                                                                                                        \
        return com_object_release(prefix##_object(self));                                                    \
    }

/* The same methods as vtable entries, in the order of the interfaces. */
#define COM_UNKNOWN_ENTRIES(prefix) prefix##_QueryInterface, prefix##_AddRef, prefix##_Release
#define COM_OBJECT_ENTRIES(prefix)                                                                           \
    COM_UNKNOWN_ENTRIES(prefix), prefix##_GetPrivateData, prefix##_SetPrivateData,                           \
        prefix##_SetPrivateDataInterface, prefix##_SetName
#define COM_DEVICE_CHILD_ENTRIES(prefix) COM_OBJECT_ENTRIES(prefix), prefix##_GetDevice

#endif
