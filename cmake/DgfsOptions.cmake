# Build options, and the interface target that carries the warnings. Standard and output folders
# are set only where DGFS is the top project, so that it can be a subproject without side effects.
option(DGFS_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(DGFS_BUILD_TOOLS "Build the dgfs program, and the mount" ${PROJECT_IS_TOP_LEVEL})
option(DGFS_BUILD_BENCH "Build the benchmark programs" OFF)
option(DGFS_BUILD_FUZZERS "With the tests, build libFuzzer programs (needs clang)" OFF)
option(DGFS_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
option(DGFS_HARDENING "Compile and link as Debian hardens programs" OFF)
option(DGFS_WERROR "Treat warnings as errors" OFF)
option(DGFS_CHECKED_LIBRARY "Check container accesses of the standard library" OFF)
option(DGFS_CCACHE "Compile through ccache where it is installed" OFF)
set(DGFS_TEST_LABELS "" CACHE STRING
    "Labels of the GoogleTest programs that are built by default; empty: all of them")
set(DGFS_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, for example address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  endif()
endif()

if(DGFS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(DGFS_CCACHE_PROGRAM ccache)
  if(DGFS_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${DGFS_CCACHE_PROGRAM})
  endif()
endif()

add_library(dgfs_warnings INTERFACE)
target_compile_options(dgfs_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
  -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  $<$<BOOL:${DGFS_WERROR}>:-Werror>)
# GCC 12 above -O1 inlines std::string::_M_replace() into "text" + string and string = "text",
# and then finds in its branch for a text within the string copies of 2^63 bytes that overlap
# (https://gcc.gnu.org/PR105651; GCC 13 is right). -O1, which is what the preset dev has, does not
# inline it: there real overlaps are still found.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dgfs_warnings INTERFACE $<$<NOT:$<CONFIG:Debug>>:-Wno-restrict>)
endif()

if(DGFS_CHECKED_LIBRARY)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
# What dpkg-buildflags has under hardening, and branch protection; the compiler makes position
# independent programs when it is asked so explicitly.
if(DGFS_HARDENING)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE
                      -D_FORTIFY_SOURCE=2 -Wformat -Werror=format-security)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|i.86")
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:--as-needed)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()
# For everything in the build, not per target: a program is sanitized as a whole or not at all.
if(DGFS_SANITIZE)
  add_compile_definitions(DGFS_SANITIZED)  # for tests, which do less of what is slow then
  add_compile_options(-fsanitize=${DGFS_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DGFS_SANITIZE})
endif()
