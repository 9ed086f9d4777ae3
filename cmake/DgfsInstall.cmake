# Installs the libraries with their headers, the CMake package and the pkg-config file, so that
# another program can use `find_package(dgfs)` and `dgfs::reader` without FUSE.
if(NOT DGFS_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

# Headers that programs may rely on; what else lies in a folder is its own business. tests/tidy
# finds out if one includes what is not in the list.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/cmake/public-headers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/public-headers.txt DGFS_PUBLIC_HEADERS)

# The link edges that the exported targets carry are those of the build, less the warnings.
set(DGFS_INSTALLED_LAYERS)
foreach(layer base rules storage storage_testing format reader builder)
  if(NOT TARGET dgfs_${layer})
    continue()
  endif()
  list(APPEND DGFS_INSTALLED_LAYERS ${layer})
  get_target_property(links dgfs_${layer} INTERFACE_LINK_LIBRARIES)
  if(links)
    list(FILTER links EXCLUDE REGEX dgfs_warnings)
    set_target_properties(dgfs_${layer} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
  endif()
  set_target_properties(dgfs_${layer} PROPERTIES EXPORT_NAME ${layer})
  install(TARGETS dgfs_${layer} EXPORT dgfsTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endforeach()
foreach(header ${DGFS_PUBLIC_HEADERS})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dgfs/${folder} COMPONENT development)
endforeach()
if(TARGET dgfs)
  install(TARGETS dgfs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  # Names under which mount(8) and umount(8) find the program: docs/MOUNTING.md.
  if(TARGET dgfs_fuse)
    file(RELATIVE_PATH sbin_to_bin /${CMAKE_INSTALL_SBINDIR} /${CMAKE_INSTALL_BINDIR}/dgfs)
    foreach(name mount.dgfs mount.fuse.dgfs umount.dgfs umount.fuse.dgfs)
      file(CREATE_LINK ${sbin_to_bin} ${PROJECT_BINARY_DIR}/${name} SYMBOLIC)
      install(FILES ${PROJECT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_SBINDIR}
              COMPONENT runtime)
    endforeach()
  endif()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dgfs)
install(EXPORT dgfsTargets NAMESPACE dgfs:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dgfsConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dgfsConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dgfsConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dgfsConfig.cmake
              ${PROJECT_BINARY_DIR}/dgfsConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# Static linking order: a layer before those it uses.
set(pkg_config_libs "")
foreach(layer ${DGFS_INSTALLED_LAYERS})
  string(PREPEND pkg_config_libs " -ldgfs_${layer}")
endforeach()
file(RELATIVE_PATH pkg_config_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pkg_config_to_prefix ${pkg_config_to_prefix})
configure_file(${PROJECT_SOURCE_DIR}/cmake/dgfs.pc.in ${PROJECT_BINARY_DIR}/dgfs.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dgfs.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# What is there to read.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/FORMAT.md
              ${PROJECT_SOURCE_DIR}/docs/GLOSSARY.md ${PROJECT_SOURCE_DIR}/docs/MOUNTING.md
              ${PROJECT_SOURCE_DIR}/docs/TOUR.md ${PROJECT_SOURCE_DIR}/docs/COMPARISON.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/examples/mnt-photos.mount
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/examples/read_image.cpp
              ${PROJECT_SOURCE_DIR}/examples/CMakeLists.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libdgfs-dev/examples COMPONENT development)
