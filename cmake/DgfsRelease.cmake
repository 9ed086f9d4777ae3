# Sets DGFS_RELEASE_DATE to the day of the version at hand, from CHANGELOG.md, which must begin with
# that version: number and date stand in one place each.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md newest LIMIT_COUNT 1 REGEX "^## ")
if(NOT newest MATCHES "^## ([0-9.]+) - ([0-9]+-[0-9]+-[0-9]+)$" OR
   NOT CMAKE_MATCH_1 VERSION_EQUAL PROJECT_VERSION)
  message(FATAL_ERROR "CHANGELOG.md begins with '${newest}', not with version ${PROJECT_VERSION}")
endif()
set(DGFS_RELEASE_DATE ${CMAKE_MATCH_2})
