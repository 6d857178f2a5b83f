# The builder's inner loops, once per instruction set.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/src/accel)
  set_source_files_properties(${dir}/refs.c ${dir}/emit.c ${dir}/update.c ${dir}/fast.c PROPERTIES COMPILE_OPTIONS "-O3")
  set_source_files_properties(${dir}/sah_baseline.c ${dir}/read_baseline.c ${dir}/fast_baseline.c PROPERTIES COMPILE_OPTIONS "-O3")
  set_source_files_properties(${dir}/sah_avx2.c ${dir}/read_avx2.c ${dir}/fast_avx2.c PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mbmi;-mbmi2;-mlzcnt;-mpopcnt")
endif()
