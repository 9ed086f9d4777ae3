# cmake -DDGFS=... -DSHARE_DIR=... -DGZIP=... -P MakeManual.cmake: see DgfsManual.cmake.
function(write_output file)
  execute_process(COMMAND ${DGFS} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# write_page(NAME SECTION ARGUMENT...): packed as the man pages of a distribution are, without a
# time in it.
function(write_page name section)
  set(page ${SHARE_DIR}/man/man${section}/${name}.${section})
  file(MAKE_DIRECTORY ${SHARE_DIR}/man/man${section})
  write_output(${page} help --man ${ARGN})
  if(GZIP)
    execute_process(COMMAND ${GZIP} -9 -n -f ${page} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()

file(REMOVE_RECURSE ${SHARE_DIR})
execute_process(COMMAND ${DGFS} help --list OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
write_page(dgfs 1)
foreach(command ${commands})
  write_page(dgfs-${command} 1 ${command})
endforeach()
file(MAKE_DIRECTORY ${SHARE_DIR}/completion)
write_output(${SHARE_DIR}/completion/dgfs help --completion bash)
write_output(${SHARE_DIR}/completion/_dgfs help --completion zsh)
