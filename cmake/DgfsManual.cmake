# Makes the manual pages and the completion scripts from the dgfs program at build, and installs
# them. Which commands there are, the program tells: nothing here lists them. A sanitized program
# is not for installing, and may not even start without help.
set(DGFS_SHARE_DIR ${PROJECT_BINARY_DIR}/share)
if(TARGET dgfs AND NOT CMAKE_CROSSCOMPILING AND NOT DGFS_SANITIZE)
  find_program(DGFS_GZIP_PROGRAM gzip)
  add_custom_command(OUTPUT ${DGFS_SHARE_DIR}.made
    COMMAND ${CMAKE_COMMAND} -DDGFS=$<TARGET_FILE:dgfs> -DSHARE_DIR=${DGFS_SHARE_DIR}
            -DGZIP=${DGFS_GZIP_PROGRAM} -DMOUNT_HELPER=$<TARGET_EXISTS:dgfs_fuse>
            -P ${CMAKE_CURRENT_LIST_DIR}/MakeManual.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${DGFS_SHARE_DIR}.made
    DEPENDS dgfs ${CMAKE_CURRENT_LIST_DIR}/MakeManual.cmake
    COMMENT "Making manual pages and completion")
  add_custom_target(dgfs_manual ALL DEPENDS ${DGFS_SHARE_DIR}.made)
  if(DGFS_INSTALL)
    install(DIRECTORY ${DGFS_SHARE_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}
            COMPONENT runtime)
    install(FILES ${DGFS_SHARE_DIR}/completion/dgfs
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
    install(FILES ${DGFS_SHARE_DIR}/completion/_dgfs
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime)
  endif()
endif()
