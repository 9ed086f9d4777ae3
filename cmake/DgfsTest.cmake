# dgfs_test(NAME <program> SOURCES <file>... LINKS <target>... [LABELS <label>...])
# One GoogleTest program; every TEST in it becomes a ctest case with the labels (default: unit).
include(GoogleTest)
function(dgfs_test)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS} GTest::gtest_main dgfs_warnings)
  gtest_discover_tests(${arg_NAME} DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
endfunction()
