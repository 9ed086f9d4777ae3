# Build options, and the interface targets that carry warnings and sanitizers to every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(DGFS_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(DGFS_BUILD_BENCH "Build the benchmark programs" OFF)
option(DGFS_WERROR "Treat warnings as errors" OFF)
set(DGFS_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, for example address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

add_library(dgfs_warnings INTERFACE)
target_compile_options(dgfs_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
  -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  $<$<BOOL:${DGFS_WERROR}>:-Werror>)

if(DGFS_SANITIZE)
  add_compile_options(-fsanitize=${DGFS_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DGFS_SANITIZE})
endif()
