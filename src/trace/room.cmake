# One kernel body, one file per instruction set, flags per file.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/src/trace)
  set_source_files_properties(${dir}/kernel_sse42.c PROPERTIES COMPILE_OPTIONS "-O3;-msse4.2;-mpopcnt")
  set_source_files_properties(${dir}/kernel_avx2.c PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mfma;-mbmi;-mbmi2;-mlzcnt;-mpopcnt;-mf16c")
  set_source_files_properties(${dir}/kernel_avx512.c PROPERTIES COMPILE_OPTIONS
    "-O3;-mavx512f;-mavx512vl;-mavx512dq;-mavx512bw;-mavx2;-mfma;-mbmi;-mbmi2;-mlzcnt;-mpopcnt;-mf16c")
endif()
