# Debian packages, by CPack: dgfs (program, mount helper, manual pages, completion, documents) and
# libdgfs-dev (libraries, headers, CMake package, pkg-config). scripts/build-package makes them;
# tests/package installs them on a clean system.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT DGFS_INSTALL OR NOT TARGET dgfs OR NOT Python3_FOUND)
  return()
endif()
set(DGFS_MAINTAINER "The DGFS authors <dgfs@localhost>" CACHE STRING
    "Who signs the Debian packages")

# Copyright and changelog, as Debian wants them beside each package.
set(debian_dir ${PROJECT_BINARY_DIR}/debian)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^MIT License\n\nCopyright \\(c\\) ([^\n]+)\n\n" "" license_text "${license}")
string(REGEX MATCH "Copyright \\(c\\) ([^\n]+)" copyright "${license}")
set(copyright ${CMAKE_MATCH_1})
string(REGEX REPLACE "\n\n" "\n.\n" license_text "${license_text}")
string(REGEX REPLACE "\n+$" "" license_text "${license_text}")
string(REPLACE "\n" "\n " license_text " ${license_text}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian-copyright.in ${debian_dir}/copyright @ONLY)
set(changelog ${debian_dir}/changelog.gz)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/debian-changelog
                ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${DGFS_MAINTAINER} ${changelog}
                COMMAND_ERROR_IS_FATAL ANY)
foreach(package dgfs:runtime libdgfs-dev:development)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 name)
  list(GET package 1 component)
  install(FILES ${debian_dir}/copyright ${changelog}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dgfs)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_VENDOR "The DGFS authors")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${DGFS_MAINTAINER})
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(about "DGFS packs a directory tree into one image and one small index, and mounts it.
A cold small file costs at most one read of the index and one of the data, and
every byte that is served was checked.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME dgfs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS fuse3)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION ${about})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdgfs-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost-dev (>= 1.74), libfmt-dev, libssl-dev (>= 3.0), liburing-dev, libxxhash-dev, \
libzstd-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS pkg-config)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${about}

These are the libraries and headers, for programs that read or build images
themselves. They need no FUSE.")
include(CPack)
