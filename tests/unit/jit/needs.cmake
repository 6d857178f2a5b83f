# Shaders in C for the tests: bitcode beside the tests, found by name through CDXR_BINARY_DIR.
file(GLOB jit_test_shaders CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/unit/jit/shaders/*.c
  ${CMAKE_CURRENT_SOURCE_DIR}/api/shaders/*.c ${PROJECT_SOURCE_DIR}/examples/c_shader/*.c)
set(jit_test_bitcode)
foreach(source ${jit_test_shaders})
  get_filename_component(name ${source} NAME_WE)
  set(output ${PROJECT_BINARY_DIR}/tests/${name}.bc)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CLANG_BITCODE} -std=gnu17 -O1 -Wall -Wextra -Wno-unused-parameter -Werror -ffp-contract=off -I${PROJECT_SOURCE_DIR}/include -emit-llvm -c
      ${source} -o ${output}
    DEPENDS ${source} ${PROJECT_SOURCE_DIR}/include/cdxr/shader.h VERBATIM)
  list(APPEND jit_test_bitcode ${output})
endforeach()
add_custom_target(jit_test_bitcode DEPENDS ${jit_test_bitcode})
add_dependencies(unit_jit_c_library jit_test_bitcode)
