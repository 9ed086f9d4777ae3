# dgfs_test(NAME <program> SOURCES <file>... LINKS <target>... [LABELS <label>...] [SHARDS <n>]
#           [LONG <filter>])
# One GoogleTest program, and one ctest entry for it: a process for each case would take longer than
# most cases. SHARDS: so many entries share the cases of a long program, for several processors.
# LONG: cases of this filter run in an entry of their own, with the label slow, where a sanitizer
# slows them down. Labels (default: unit): CONTRIBUTING.md, "Tests".

# What the thread sanitizer is worth building for.
add_custom_target(dgfs_tsan_tests)

# dgfs_add_test_entry(<entry> <program> <filter> <labels> <environment>)
function(dgfs_add_test_entry entry program filter labels environment)
  add_test(NAME ${entry} COMMAND ${program} --gtest_brief=1 --gtest_filter=${filter})
  set_tests_properties(${entry} PROPERTIES LABELS "${labels}" TIMEOUT 3000
                                           ENVIRONMENT "${environment}")
endfunction()

function(dgfs_test)
  cmake_parse_arguments(arg "" "NAME;SHARDS;LONG" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS} GTest::gtest_main dgfs_warnings)
  dgfs_precompile(${arg_NAME})
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
  set(filter *)
  if(DGFS_SANITIZE AND arg_LONG)
    set(filter -${arg_LONG})
    dgfs_add_test_entry(${arg_NAME}.long ${arg_NAME} ${arg_LONG} "${arg_LABELS};slow" "")
  endif()
  if(NOT arg_SHARDS)
    dgfs_add_test_entry(${arg_NAME} ${arg_NAME} ${filter} "${arg_LABELS}" "")
    return()
  endif()
  # On a new build ctest starts the entries with a cost first, so that no long one remains alone.
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(index RANGE ${last})
    math(EXPR number "${index} + 1")
    dgfs_add_test_entry(${arg_NAME}.${number} ${arg_NAME} ${filter} "${arg_LABELS}"
                        "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
    set_tests_properties(${arg_NAME}.${number} PROPERTIES COST 500)
  endforeach()
endfunction()

# dgfs_precompile(<program>): the program's files begin with tests/support/precompiled.h, compiled
# once for all test programs. With clang alone: GCC takes several times as long to write it, gains
# less by it, and compiles only the few programs of the thread sanitizer here.
function(dgfs_precompile program)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR DGFS_BUILD_FUZZERS)
    return()
  endif()
  if(NOT TARGET dgfs_test_precompiled)
    add_executable(dgfs_test_precompiled EXCLUDE_FROM_ALL
                   ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
    target_link_libraries(dgfs_test_precompiled PRIVATE dgfs::test_support GTest::gtest
                                                        dgfs_warnings)
    # With the time of its making in it, no cache would know the file again.
    target_compile_options(dgfs_test_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(dgfs_test_precompiled PRIVATE
                              ${PROJECT_SOURCE_DIR}/tests/support/precompiled.h)
  endif()
  target_precompile_headers(${program} REUSE_FROM dgfs_test_precompiled)
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
