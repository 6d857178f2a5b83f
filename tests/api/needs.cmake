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
