/* SPDX-License-Identifier: MIT
 * One translation unit of everything in this folder: src/jit/room.cmake compiles it to the bitcode that library.c hands
 * to every shader. */
#include "jit/device/handles.c"
#include "jit/device/hit_objects.c"
#include "jit/device/position.c"
#include "jit/device/rays.c"
#include "jit/device/waves.c"
