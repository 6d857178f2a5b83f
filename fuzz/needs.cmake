# See CMakeLists.txt.
set(seeds_fuzz_dxil_container ${CDXR_FIXTURES}/dxil)
set(seeds_fuzz_dxil_module ${CDXR_FIXTURES}/dxil)
set(libraries_fuzz_dxil_module cdxr_llvm)
set(seeds_fuzz_dxil_rdat ${CDXR_FIXTURES}/dxil)
set(seeds_fuzz_dxil_root_signature ${CDXR_FIXTURES}/dxil)
set(seeds_fuzz_d3d12_state_object ${CDXR_FIXTURES}/dxil)
set(libraries_fuzz_accel_micromaps cdxr_trace)
