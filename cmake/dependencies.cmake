# Outside libraries, each wrapped so that our rooms inherit no warnings from them.
find_package(PkgConfig REQUIRED)
pkg_check_modules(DXHEADERS REQUIRED DirectX-Headers)
add_library(directx_headers INTERFACE)
target_include_directories(directx_headers SYSTEM INTERFACE ${DXHEADERS_INCLUDE_DIRS})
target_link_libraries(directx_headers INTERFACE ${DXHEADERS_LINK_LIBRARIES})

find_program(LLVM_CONFIG NAMES llvm-config-19 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE LLVM_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --bindir OUTPUT_VARIABLE LLVM_BINDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
add_library(cdxr_llvm INTERFACE)
target_include_directories(cdxr_llvm SYSTEM INTERFACE ${LLVM_INCLUDE})
target_link_libraries(cdxr_llvm INTERFACE ${LLVM_LIBDIR}/libLLVM-19.so)
find_program(CLANG_BITCODE NAMES clang-19 HINTS ${LLVM_BINDIR} REQUIRED)

pkg_check_modules(CMOCKA REQUIRED cmocka)
add_library(cdxr_cmocka INTERFACE)
target_include_directories(cdxr_cmocka SYSTEM INTERFACE ${CMOCKA_INCLUDE_DIRS})
target_link_libraries(cdxr_cmocka INTERFACE ${CMOCKA_LINK_LIBRARIES})

pkg_check_modules(PNG REQUIRED libpng)
pkg_check_modules(ASSIMP REQUIRED assimp)
pkg_check_modules(OPENEXR REQUIRED OpenEXR)
