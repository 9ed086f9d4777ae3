# Installs the libraries with their headers, the CMake package and the pkg-config file, so that
# another program can use `find_package(dgfs)` and `dgfs::reader` without FUSE.
if(NOT DGFS_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

# The link edges that the exported targets carry are those of the build, less the warnings.
set(DGFS_INSTALLED_LAYERS)
foreach(layer base storage format reader builder)
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
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dgfs FILES_MATCHING PATTERN "*.h")
endforeach()
if(TARGET dgfs)
  install(TARGETS dgfs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dgfs)
install(EXPORT dgfsTargets NAMESPACE dgfs:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dgfsConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dgfsConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dgfsConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dgfsConfig.cmake
              ${PROJECT_BINARY_DIR}/dgfsConfigVersion.cmake DESTINATION ${package_dir})

# Static linking order: a layer before those it uses.
set(pkg_config_libs "")
foreach(layer ${DGFS_INSTALLED_LAYERS})
  string(PREPEND pkg_config_libs " -ldgfs_${layer}")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/dgfs.pc.in ${PROJECT_BINARY_DIR}/dgfs.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dgfs.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
