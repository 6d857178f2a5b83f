# Compiler and sanitizer options shared by everything.
# -ffp-contract=off: the order of float operations is part of our contract (bit-identical images), so the
# compiler must not fuse on its own.
add_library(cdxr_options INTERFACE)
target_compile_options(cdxr_options INTERFACE -ffp-contract=off -fno-math-errno -fno-omit-frame-pointer
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-sign-compare)
# gcc's maybe-uninitialized guesses, and is wrong wherever a value is set by a step that tells by its result; psabi is about
# vectors as parameters of functions that are all inlined.
target_compile_options(cdxr_options INTERFACE $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-maybe-uninitialized;-Wno-psabi>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized;-Wno-psabi>)
target_compile_options(cdxr_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
target_compile_definitions(cdxr_options INTERFACE _GNU_SOURCE CDXR_VERSION="${PROJECT_VERSION}")
if(CDXR_WERROR)
  target_compile_options(cdxr_options INTERFACE -Werror)
endif()
find_package(Threads REQUIRED)
target_link_libraries(cdxr_options INTERFACE Threads::Threads m ${CMAKE_DL_LIBS})
if(CDXR_SANITIZE STREQUAL "address")
  # Not "function": C clients call methods of older interfaces through those interfaces' vtable types, as COM means it.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fno-sanitize=function)
  endif()
  add_link_options(-fsanitize=address,undefined)
elseif(CDXR_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(CDXR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
