# Kernels are built per instruction set; -mno-fma keeps the order and rounding of float operations the same in all.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(src/dp2/raster_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mno-fma;-O3;-Wno-psabi")
endif()
set_source_files_properties(src/dp2/raster_generic.c PROPERTIES COMPILE_OPTIONS "-O3;-Wno-psabi")
