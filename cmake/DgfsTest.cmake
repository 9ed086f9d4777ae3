# dgfs_test(NAME <program> SOURCES <file>... LINKS <target>... [LABELS <label>...])
# One GoogleTest program; every TEST in it becomes a ctest case with the labels (default: unit).
# Labels: CONTRIBUTING.md, "Tests".
include(GoogleTest)

# What the thread sanitizer is worth building for.
add_custom_target(dgfs_tsan_tests)

function(dgfs_test)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS} GTest::gtest_main dgfs_warnings)
  if("tsan" IN_LIST arg_LABELS)
    add_dependencies(dgfs_tsan_tests ${arg_NAME})
  endif()
  set(unwanted ${arg_LABELS})
  if(DGFS_TEST_LABELS)
    list(REMOVE_ITEM unwanted ${DGFS_TEST_LABELS})
  endif()
  if(DGFS_TEST_LABELS AND "${unwanted}" STREQUAL "${arg_LABELS}")
    set_target_properties(${arg_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  gtest_discover_tests(${arg_NAME} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600)
  # PROPERTIES would keep the first label of a list only, so ctest sets them itself, from a file.
  set(label_script ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_labels.cmake)
  file(WRITE ${label_script}
    "if(${arg_NAME}_TESTS)\n"
    "  set_tests_properties(\${${arg_NAME}_TESTS} PROPERTIES LABELS \"${arg_LABELS}\")\n"
    "endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${label_script})
endfunction()

# dgfs_fuzzer(NAME <program> SOURCES <file>... LINKS <target>... CORPUS <folder>)
# SOURCES define LLVMFuzzerTestOneInput. With DGFS_BUILD_FUZZERS it becomes a libFuzzer program;
# its test runs a short time from the corpus, the same way each time if addresses are not random:
# what it finds is of the code that has changed. Otherwise its test replays the corpus, and
# mutations of it that are the same in every run. Label: fuzz-smoke.
function(dgfs_fuzzer)
  cmake_parse_arguments(arg "" "NAME;CORPUS" "SOURCES;LINKS" ${ARGN})
  cmake_path(ABSOLUTE_PATH arg_CORPUS)
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS} dgfs_warnings)
  if(DGFS_BUILD_FUZZERS)
    target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    set(new_inputs ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}-corpus)
    file(MAKE_DIRECTORY ${new_inputs})
    # Without its log of progress, which would bury what it has found.
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} -max_total_time=15 -seed=1 -reload=0 -verbosity=0
                                      ${new_inputs} ${arg_CORPUS})
  else()
    target_sources(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_CORPUS})
  endif()
  set_tests_properties(${arg_NAME} PROPERTIES LABELS fuzz-smoke TIMEOUT 1500)
endfunction()
