# See CMakeLists.txt, which passes the variables.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Fails unless the program, run with the further arguments, exits with the code and prints the text.
function(expect code text program)
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err
                  RESULT_VARIABLE result)
  if(NOT result EQUAL code OR NOT "${out}${err}" STREQUAL text)
    message(FATAL_ERROR "${program} ${ARGN}: exit code ${result}, '${out}${err}'; "
                        "want ${code}, '${text}'")
  endif()
endfunction()

# The example prints directories and files of an image, and tells kinds of errors apart.
function(check_example program)
  expect(0 "file\nsub\n" ${program} ${SCRATCH}/tree.dgfs /)
  expect(0 "some text" ${program} ${SCRATCH}/tree.dgfs sub/deep)
  expect(3 "nothing: no such file or directory\n"
         ${program} ${SCRATCH}/tree.dgfs nothing)
  expect(1 "file: ${SCRATCH}/tree/file: neither an image nor an index of DGFS\n"
         ${program} ${SCRATCH}/tree/file file)
endfunction()

set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${prefix})
file(WRITE ${SCRATCH}/tree/file "")
file(WRITE ${SCRATCH}/tree/sub/deep "some text")
run(${prefix}/bin/dgfs build -q ${SCRATCH}/tree ${SCRATCH}/tree.dgfs)
foreach(page dgfs dgfs-build dgfs-find)
  file(GLOB pages ${prefix}/share/man/man1/${page}.1*)
  if(pages STREQUAL "")
    message(FATAL_ERROR "no manual page ${page} is installed")
  endif()
endforeach()

# Uses the CMake package. Its version file must also refuse versions that do not fit.
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_PREFIX_PATH=${prefix})
foreach(wanted 0.1 99)
  execute_process(COMMAND ${configure} -S ${CONSUMER} -B ${SCRATCH}/build-${wanted}
    -DWANTED_VERSION=${wanted} RESULT_VARIABLE result_${wanted})
endforeach()
if(NOT result_0.1 EQUAL 0 OR result_99 EQUAL 0)
  message(FATAL_ERROR "version 0.1: ${result_0.1} (want 0), 99: ${result_99} (want a refusal)")
endif()
run(${CMAKE_COMMAND} --build ${SCRATCH}/build-0.1)
run(${SCRATCH}/build-0.1/consumer)
run(${configure} -S ${EXAMPLES} -B ${SCRATCH}/examples)
run(${CMAKE_COMMAND} --build ${SCRATCH}/examples)
check_example(${SCRATCH}/examples/read_image)

# Uses pkg-config.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
find_program(pkg_config pkg-config REQUIRED)
execute_process(COMMAND ${pkg_config} --cflags --libs dgfs COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_VARIABLE arguments OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(source ${CONSUMER}/consumer.cpp ${EXAMPLES}/read_image.cpp)
  get_filename_component(name ${source} NAME_WE)
  separate_arguments(words UNIX_COMMAND "${FLAGS} ${source} ${arguments}")
  run(${COMPILER} -o ${SCRATCH}/${name} ${words})
endforeach()
run(${SCRATCH}/consumer)
check_example(${SCRATCH}/read_image)

# Each public header must compile without another one before it.
execute_process(COMMAND ${pkg_config} --cflags dgfs COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_VARIABLE arguments OUTPUT_STRIP_TRAILING_WHITESPACE)
file(STRINGS ${PUBLIC_HEADERS} headers)
foreach(header ${headers})
  file(WRITE ${SCRATCH}/alone.cpp "#include \"${header}\"\n")
  separate_arguments(words UNIX_COMMAND "-fsyntax-only -Wall -Wextra -Werror ${arguments}")
  run(${COMPILER} ${words} ${SCRATCH}/alone.cpp)
endforeach()
