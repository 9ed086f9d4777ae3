# See CMakeLists.txt, which passes the variables.
file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/tree/file "some text")
execute_process(COMMAND ${DGFS} build -q ${SCRATCH}/tree ${SCRATCH}/tree.dgfs
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SUBPROJECT} -B ${SCRATCH}/build -G ${GENERATOR}
  -DDGFS_SOURCE=${SOURCE} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
  -DDGFS_CCACHE=ON -DDGFS_CHECKED_LIBRARY=${CHECKED_LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/build/read_image ${SCRATCH}/tree.dgfs file
                OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
if(NOT out STREQUAL "some text")
  message(FATAL_ERROR "read_image prints '${out}'")
endif()
