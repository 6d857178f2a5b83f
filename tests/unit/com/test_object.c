/* SPDX-License-Identifier: MIT
 * Reference counts, QueryInterface, private data and names of com/object.c, on a device and a child made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <wchar.h>

#include "com/object.h"
#include "com/text.h"

struct thing {
    struct com_object object;
    struct com_interface second;
};

static int things_alive, retired_count;

static void thing_destroy(struct com_object *object)
{
    com_object_finish(object);
    free(object);
    things_alive--;
}

static struct com_object *retired;
static void thing_retire(struct com_object *object)
{
    retired = object;
    retired_count++;
}

COM_DEVICE_CHILD_METHODS(thing, ID3D12DeviceChild)
static const ID3D12DeviceChildVtbl thing_vtbl = {COM_DEVICE_CHILD_ENTRIES(thing)};
COM_UNKNOWN_METHODS_AT(thing_second, ID3D12StateObjectProperties, thing, second)
static const ID3D12StateObjectPropertiesVtbl thing_second_vtbl = {COM_UNKNOWN_ENTRIES(thing_second)};

static const struct com_iid_offset thing_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12StateObjectProperties, offsetof(struct thing, second)},
};
static const struct com_class thing_class = {"thing", thing_interfaces, ARRAY_COUNT(thing_interfaces), thing_destroy};
static const struct com_class retiring_class = {"thing", thing_interfaces, ARRAY_COUNT(thing_interfaces), thing_destroy,
                                                thing_retire};

static struct thing *thing_create(const struct com_class *class, struct thing *device)
{
    struct thing *thing = calloc(1, sizeof(*thing));
    com_object_init(&thing->object, class, &thing_vtbl, device ? &device->object : NULL);
    thing->second.vtable = &thing_second_vtbl;
    things_alive++;
    return thing;
}

static IUnknown *unknown_of(struct thing *thing)
{
    return (IUnknown *)thing;
}

static void counts_follow_add_ref_and_release(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    assert_int_equal(IUnknown_AddRef(unknown_of(thing)), 2);
    assert_int_equal(IUnknown_Release(unknown_of(thing)), 1);
    assert_int_equal(things_alive, 1);
    assert_int_equal(IUnknown_Release(unknown_of(thing)), 0);
    assert_int_equal(things_alive, 0);
}

static void internal_reference_outlives_the_application(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    com_object_hold(&thing->object);
    assert_int_equal(IUnknown_Release(unknown_of(thing)), 0);
    assert_int_equal(things_alive, 1);
    com_object_drop(&thing->object);
    assert_int_equal(things_alive, 0);
}

static void child_keeps_the_device(void **state)
{
    struct thing *device = thing_create(&thing_class, NULL);
    struct thing *child = thing_create(&thing_class, device);
    assert_int_equal(IUnknown_Release(unknown_of(device)), 1);
    com_object_hold(&child->object);
    assert_int_equal(IUnknown_Release(unknown_of(child)), 0);
    assert_int_equal(things_alive, 2);
    com_object_drop(&child->object);
    assert_int_equal(things_alive, 0);
}

static void failed_constructor_gives_the_device_back(void **state)
{
    struct thing *device = thing_create(&thing_class, NULL);
    struct thing *child = thing_create(&thing_class, device);
    com_object_abandon(&child->object);
    free(child);
    things_alive--;
    assert_int_equal(IUnknown_Release(unknown_of(device)), 0);
    assert_int_equal(things_alive, 0);
}

static void retire_owns_the_last_reference(void **state)
{
    struct thing *thing = thing_create(&retiring_class, NULL);
    retired_count = 0;
    assert_int_equal(IUnknown_Release(unknown_of(thing)), 0);
    assert_int_equal(retired_count, 1);
    assert_int_equal(things_alive, 1);
    com_object_drop(retired);
    assert_int_equal(things_alive, 0);
}

static void second_interface_shares_identity(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    ID3D12StateObjectProperties *second = NULL;
    IUnknown *back = NULL;
    assert_int_equal(IUnknown_QueryInterface(unknown_of(thing), &IID_ID3D12StateObjectProperties, (void **)&second), S_OK);
    assert_ptr_not_equal(second, thing);
    assert_int_equal(ID3D12StateObjectProperties_QueryInterface(second, &IID_IUnknown, (void **)&back), S_OK);
    assert_ptr_equal(back, thing);
    assert_int_equal(IUnknown_Release(back), 2);
    assert_int_equal(ID3D12StateObjectProperties_Release(second), 1);
    assert_int_equal(IUnknown_Release(unknown_of(thing)), 0);
}

static void unknown_interfaces_are_refused(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    void *out = thing;
    assert_int_equal(IUnknown_QueryInterface(unknown_of(thing), &IID_ID3D12Fence, &out), E_NOINTERFACE);
    assert_null(out);
    assert_int_equal(IUnknown_QueryInterface(unknown_of(thing), &IID_IUnknown, NULL), E_POINTER);
    assert_int_equal(IUnknown_Release(unknown_of(thing)), 0);
}

static void create_without_output_says_s_false(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    assert_int_equal(com_object_return(&thing->object, &IID_IUnknown, NULL), S_FALSE);
    assert_int_equal(things_alive, 0);
}

static const GUID key = {0x11111111, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};

static void private_data_sizes(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    ID3D12Object *object = (ID3D12Object *)thing;
    uint32_t value = 0x12345678, out = 0;
    UINT size = 99;
    assert_int_equal(ID3D12Object_GetPrivateData(object, &key, &size, &out), DXGI_ERROR_NOT_FOUND);
    assert_int_equal(size, 0);
    assert_int_equal(ID3D12Object_SetPrivateData(object, &key, 4, &value), S_OK);
    assert_int_equal(ID3D12Object_GetPrivateData(object, &key, &size, NULL), S_OK);
    assert_int_equal(size, 4);
    size = 3;
    assert_int_equal(ID3D12Object_GetPrivateData(object, &key, &size, &out), DXGI_ERROR_MORE_DATA);
    assert_int_equal(size, 4);
    assert_int_equal(ID3D12Object_GetPrivateData(object, &key, &size, &out), S_OK);
    assert_int_equal(out, value);
    assert_int_equal(ID3D12Object_SetPrivateData(object, &key, 0, NULL), S_OK);
    assert_int_equal(ID3D12Object_GetPrivateData(object, &key, &size, &out), DXGI_ERROR_NOT_FOUND);
    ID3D12Object_Release(object);
}

static void private_interface_is_held(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL), *other = thing_create(&thing_class, NULL);
    ID3D12Object *object = (ID3D12Object *)thing;
    assert_int_equal(ID3D12Object_SetPrivateDataInterface(object, &key, unknown_of(other)), S_OK);
    assert_int_equal(IUnknown_Release(unknown_of(other)), 1);
    IUnknown *out = NULL;
    UINT size = sizeof(out);
    assert_int_equal(ID3D12Object_GetPrivateData(object, &key, &size, &out), S_OK);
    assert_ptr_equal(out, other);
    assert_int_equal(IUnknown_Release(out), 1);
    ID3D12Object_Release(object);
    assert_int_equal(things_alive, 0);
}

static void names_reach_messages(void **state)
{
    struct thing *thing = thing_create(&thing_class, NULL);
    ID3D12Object *object = (ID3D12Object *)thing;
    assert_string_equal(com_object_name(&thing->object), "unnamed");
    assert_int_equal(ID3D12Object_SetName(object, L"Gr\u00fc\u00dfe \U0001F600"), S_OK);
    assert_string_equal(com_object_name(&thing->object), "Gr\xc3\xbc\xc3\x9f"
                                                         "e \xf0\x9f\x98\x80");
    WCHAR wide[32];
    UINT size = sizeof(wide);
    assert_int_equal(ID3D12Object_GetPrivateData(object, &WKPDID_D3DDebugObjectNameW, &size, wide), S_OK);
    assert_memory_equal(wide, L"Gr\u00fc\u00dfe \U0001F600", size);
    assert_int_equal(ID3D12Object_SetPrivateData(object, &WKPDID_D3DDebugObjectName, 5, "plain"), S_OK);
    assert_string_equal(com_object_name(&thing->object), "plain");
    assert_int_equal(ID3D12Object_SetName(object, NULL), E_INVALIDARG);
    ID3D12Object_Release(object);
}

static void text_conversion(void **state)
{
    static const struct {
        const char *name, *text;
        const WCHAR *wide;
    } cases[] = {
        {"empty", "", L""},
        {"one to four bytes", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", L"a\u00e9\u20ac\U0001F600"},
        {"stray continuation", "a\x80z", L"a\ufffdz"},
        {"cut sequence", "\xe2\x82", L"\ufffd\ufffd"},
        {"overlong", "\xc0\x80", L"\ufffd\ufffd"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        print_message("%s\n", cases[i].name);
        WCHAR *wide = com_text_to_wide(cases[i].text);
        assert_memory_equal(wide, cases[i].wide, (wcslen(cases[i].wide) + 1) * sizeof(WCHAR));
        free(wide);
    }
    WCHAR bad[] = {0xd800, 0x110000, 0};
    char *text = com_text_from_wide(bad);
    assert_string_equal(text, "\xef\xbf\xbd\xef\xbf\xbd");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_follow_add_ref_and_release),
        cmocka_unit_test(internal_reference_outlives_the_application),
        cmocka_unit_test(child_keeps_the_device),
        cmocka_unit_test(failed_constructor_gives_the_device_back),
        cmocka_unit_test(retire_owns_the_last_reference),
        cmocka_unit_test(second_interface_shares_identity),
        cmocka_unit_test(unknown_interfaces_are_refused),
        cmocka_unit_test(create_without_output_says_s_false),
        cmocka_unit_test(private_data_sizes),
        cmocka_unit_test(private_interface_is_held),
        cmocka_unit_test(names_reach_messages),
        cmocka_unit_test(text_conversion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
