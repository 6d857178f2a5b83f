# test_module reads the checked bitcode with LLVM.
target_link_libraries(unit_dxil_module PRIVATE cdxr_llvm)
