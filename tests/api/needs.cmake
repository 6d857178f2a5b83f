# Every public header compiles alone, as C11 and as C++17.
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cdxr/*.h)
set(header_sources)
foreach(header ${public_headers})
  get_filename_component(name ${header} NAME_WE)
  foreach(language c cpp)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}_alone.${language})
    file(GENERATE OUTPUT ${source} CONTENT
      "#include <cdxr/${name}.h>\n#include <cdxr/${name}.h>\nextern int header_${name}_${language};\nint header_${name}_${language} = 1;\n")
    list(APPEND header_sources ${source})
  endforeach()
endforeach()
add_library(api_headers OBJECT ${header_sources})
target_include_directories(api_headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(api_headers PRIVATE directx_headers)
target_compile_options(api_headers PRIVATE -Wall -Wextra -Werror $<$<COMPILE_LANGUAGE:C>:-std=c11> $<$<COMPILE_LANGUAGE:CXX>:-std=c++17>)
set_target_properties(api_headers PROPERTIES C_EXTENSIONS OFF C_STANDARD 11 CXX_STANDARD 17 CXX_EXTENSIONS OFF)

# Shaders in C.
add_dependencies(api_c_shaders jit_test_bitcode)
add_dependencies(api_field_rays jit_test_bitcode)
add_dependencies(api_local_samplers jit_test_bitcode)

# The objects behind the C++ interfaces are C structs: they have no C++ type that -fsanitize=vptr could check.
if(CDXR_SANITIZE STREQUAL "address")
  foreach(source ${tests})
    if(source MATCHES "\\.cpp$")
      get_filename_component(name ${source} NAME_WE)
      string(REGEX REPLACE "^test_" "api_" name ${name})
      target_compile_options(${name} PRIVATE -fno-sanitize=vptr)
    endif()
  endforeach()
endif()

# A program that knows the library under the names that D3D12 programs for WSL link.
set(names_dir ${PROJECT_SOURCE_DIR}/tests/names)
foreach(name_and_function d3d12:D3D12CreateDevice dxcore:DXCoreCreateAdapterFactory)
  string(REPLACE ":" ";" pair ${name_and_function})
  list(GET pair 0 name)
  list(GET pair 1 function)
  add_library(names_stub_${name} SHARED ${names_dir}/stub.c)
  target_compile_definitions(names_stub_${name} PRIVATE STUB_FUNCTION=${function})
  set_target_properties(names_stub_${name} PROPERTIES OUTPUT_NAME ${name} C_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/names_stubs)
endforeach()
add_executable(api_names ${names_dir}/main.c)
target_link_libraries(api_names PRIVATE cdxr_options names_stub_d3d12 names_stub_dxcore directx_headers)
set_target_properties(api_names PROPERTIES SKIP_BUILD_RPATH ON)
add_dependencies(api_names cdxr)
add_test(NAME api_names COMMAND api_names)
set_tests_properties(api_names PROPERTIES TIMEOUT 60
  ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib/cdxr:${PROJECT_BINARY_DIR}")

# The slow reference of opacity micromaps needs nothing of the library.
target_sources(api_micromaps PRIVATE ref/micromap.c)
