# libcdxr.so: all rooms, only the symbols of src/exports.map visible; and the names that programs for WSL link.
file(GLOB d3d12_sources CONFIGURE_DEPENDS src/d3d12/*.c)
if(NOT d3d12_sources)
  return()
endif()
get_property(rooms GLOBAL PROPERTY CDXR_ROOMS)
set(objects "")
foreach(room ${rooms})
  get_target_property(kind cdxr_${room} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:cdxr_${room}>)
  endif()
endforeach()
add_library(cdxr SHARED ${objects})
set_target_properties(cdxr PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/exports.map LINKER_LANGUAGE C)
target_include_directories(cdxr PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(room ${rooms}) # for what the rooms depend on; their own objects are all there already
  target_link_libraries(cdxr PRIVATE cdxr_${room})
endforeach()
target_link_options(cdxr PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/src/exports.map -Wl,--gc-sections)
if(NOT CDXR_SANITIZE AND NOT CDXR_FUZZ)
  target_link_options(cdxr PRIVATE -Wl,-z,defs)
endif()

install(TARGETS cdxr EXPORT cdxr-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cdxr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cdxr-targets NAMESPACE cdxr:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cdxr)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/cdxr-config-version.cmake COMPATIBILITY SameMajorVersion)
configure_file(cmake/cdxr-config.cmake.in cdxr-config.cmake @ONLY)
file(RELATIVE_PATH cdxr_pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix) # an installed tree may be moved
configure_file(cmake/cdxr.pc.in cdxr.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cdxr-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/cdxr-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cdxr)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cdxr.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Aliases in a directory of their own, so that nothing of the system is shadowed. In the build tree too. The library's own
# name is among them: a program that was linked against an alias asks for that one.
foreach(alias libd3d12.so libd3d12core.so libdxcore.so libcdxr.so.${PROJECT_VERSION_MAJOR})
  add_custom_command(TARGET cdxr POST_BUILD COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib/cdxr
    COMMAND ${CMAKE_COMMAND} -E create_symlink ../../libcdxr.so.${PROJECT_VERSION_MAJOR} ${CMAKE_BINARY_DIR}/lib/cdxr/${alias})
  install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cdxr\")
    file(CREATE_LINK ../libcdxr.so.${PROJECT_VERSION_MAJOR} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cdxr/${alias}\" SYMBOLIC)")
endforeach()
