# See CMakeLists.txt, which passes the variables.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${prefix})

# The version file must also turn away what does not fit.
foreach(wanted 0.1 99)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build-${wanted}
    -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -DCMAKE_PREFIX_PATH=${prefix} -DWANTED_VERSION=${wanted} RESULT_VARIABLE result_${wanted})
endforeach()
if(NOT result_0.1 EQUAL 0 OR result_99 EQUAL 0)
  message(FATAL_ERROR "version 0.1: ${result_0.1} (want 0), 99: ${result_99} (want a refusal)")
endif()
run(${CMAKE_COMMAND} --build ${SCRATCH}/build-0.1)
run(${SCRATCH}/build-0.1/consumer)

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
find_program(pkg_config pkg-config REQUIRED)
execute_process(COMMAND ${pkg_config} --cflags --libs dgfs COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_VARIABLE arguments OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(arguments UNIX_COMMAND "${FLAGS} ${CONSUMER}/consumer.cpp ${arguments}")
run(${COMPILER} -o ${SCRATCH}/by-pkg-config ${arguments})
run(${SCRATCH}/by-pkg-config)
