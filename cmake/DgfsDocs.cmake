# The target docs makes the API reference with Doxygen, in the folder api of the build; any warning
# fails it. A test does the same.
find_program(DGFS_DOXYGEN_PROGRAM doxygen)
if(NOT DGFS_DOXYGEN_PROGRAM)
  return()
endif()
set(DGFS_API_DIR ${PROJECT_BINARY_DIR}/api)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/public-headers.txt headers)
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/)
list(JOIN headers " " DGFS_API_INPUT)
string(APPEND DGFS_API_INPUT " ${PROJECT_SOURCE_DIR}/docs/API.md")
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
file(MAKE_DIRECTORY ${DGFS_API_DIR})
add_custom_target(docs COMMAND ${DGFS_DOXYGEN_PROGRAM} ${PROJECT_BINARY_DIR}/Doxyfile
                  COMMENT "Making the API reference: ${DGFS_API_DIR}/html/index.html")
if(DGFS_BUILD_TESTS)
  add_test(NAME api_reference COMMAND ${DGFS_DOXYGEN_PROGRAM} ${PROJECT_BINARY_DIR}/Doxyfile)
  set_tests_properties(api_reference PROPERTIES LABELS unit TIMEOUT 120)
endif()
