# test_module reads the checked bitcode with LLVM.
target_link_libraries(unit_dxil_module PRIVATE cdxr_llvm)
# docs/dxil.md is generated from the operation table.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME docs_dxil_operations COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/dxil-op-table --check)
endif()
