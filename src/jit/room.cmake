# The shader-side functions: C to LLVM bitcode, embedded by bitcode.c.
set(JIT_BITCODE ${CMAKE_CURRENT_BINARY_DIR}/jit_device.bc)
file(GLOB jit_device_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/jit/device/*.[ch])
add_custom_command(OUTPUT ${JIT_BITCODE}
  COMMAND ${CLANG_BITCODE} -std=gnu17 -O2 -ffreestanding -fno-strict-aliasing -ffp-contract=off -fno-math-errno
    -fno-vectorize -fno-slp-vectorize -fno-stack-protector -Wall -Wextra -Wno-unused-parameter -Werror
    -I${CMAKE_CURRENT_SOURCE_DIR}/src -c -emit-llvm -o ${JIT_BITCODE} ${CMAKE_CURRENT_SOURCE_DIR}/src/jit/device/all.c
  DEPENDS ${jit_device_sources} ${CMAKE_CURRENT_SOURCE_DIR}/src/abi/thread.h ${CMAKE_CURRENT_SOURCE_DIR}/src/abi/services.h
    ${CMAKE_CURRENT_SOURCE_DIR}/src/abi/ray.h ${CMAKE_CURRENT_SOURCE_DIR}/src/abi/descriptor.h
    ${CMAKE_CURRENT_SOURCE_DIR}/src/base/vec.h ${CMAKE_CURRENT_SOURCE_DIR}/src/ops/types.h
  COMMENT "Compiling shader-side functions to bitcode" VERBATIM)
add_custom_target(cdxr_jit_device_bitcode DEPENDS ${JIT_BITCODE})
add_dependencies(${ROOM} cdxr_jit_device_bitcode)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/jit/bitcode.c PROPERTIES OBJECT_DEPENDS ${JIT_BITCODE}
  COMPILE_DEFINITIONS JIT_DEVICE_BITCODE="${JIT_BITCODE}")
