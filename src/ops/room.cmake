# The same sources twice: natively (the room's library) and as LLVM bitcode for linking into shaders. The bitcode keeps
# the baseline target; jit gives it the host's. Vectorisers are off because they would only see a lone function here.
set(OPS_BC ${CMAKE_CURRENT_BINARY_DIR}/ops_bitcode.bc)
add_custom_command(OUTPUT ${OPS_BC}
  COMMAND ${CLANG_BITCODE} -target x86_64-unknown-linux-gnu -std=gnu17 -O2 -fno-vectorize -fno-slp-vectorize
    -ffp-contract=off -fno-math-errno -fno-stack-protector -fno-ident -fvisibility=default -DOPS_BITCODE
    -I${CMAKE_CURRENT_SOURCE_DIR}/src -emit-llvm -c ${dir}/bitcode/unity.c -o ${OPS_BC} -MD -MF ${OPS_BC}.d
  DEPENDS ${dir}/bitcode/unity.c DEPFILE ${OPS_BC}.d
  COMMENT "ops bitcode" VERBATIM)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/ops_bitcode.c
  COMMAND ${CMAKE_COMMAND} -DINPUT=${OPS_BC} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/ops_bitcode.c -P ${dir}/bitcode/embed.cmake
  DEPENDS ${OPS_BC} ${dir}/bitcode/embed.cmake VERBATIM)
target_sources(${ROOM} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/ops_bitcode.c)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${dir}/sample_avx2.c PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mf16c;-mbmi;-mbmi2;-mlzcnt;-mpopcnt")
endif()
set_source_files_properties(${dir}/filter.c ${dir}/sample.c PROPERTIES COMPILE_OPTIONS "-O3")
