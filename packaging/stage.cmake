# What is done to the folders of a package between installing into them and packing them (run by cpack).
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.1)
if(NOT pages)
  message(FATAL_ERROR "the package would have no manual pages")
endif()
execute_process(COMMAND gzip -9n -f ${pages} COMMAND_ERROR_IS_FATAL ANY)

# A file may be in one package only: cugrade-hidden has what cugrade lacks, and assignment.yaml, which is diverted.
set(public ${CPACK_TEMPORARY_DIRECTORY}/Unspecified)
set(hidden ${CPACK_TEMPORARY_DIRECTORY}/hidden)
file(GLOB_RECURSE files RELATIVE ${hidden} ${hidden}/*)
foreach(file IN LISTS files)
  if(EXISTS ${public}/${file} AND NOT file MATCHES "/assignment\\.yaml$")
    file(REMOVE ${hidden}/${file})
  endif()
endforeach()

# Every package has its copyright and changelogs.
string(TIMESTAMP seconds "%s" UTC)  # of SOURCE_DATE_EPOCH, if it is set
execute_process(COMMAND date -R -u -d @${seconds} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
foreach(pair IN ITEMS Unspecified:cugrade solutions:cugrade-solutions hidden:cugrade-hidden)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.Debian.in ${folder}/changelog.Debian @ONLY)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${folder}/changelog)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/copyright ${folder}/copyright)
  execute_process(COMMAND gzip -9n ${folder}/changelog ${folder}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  # What the checkout's user and umask made of modes and folders without a file is not the package's.
  execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY}/${component} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY}/${component} -type d -empty -delete)
endforeach()
# secret.postinst gives them to a group; until then, they are root's.
execute_process(COMMAND find ${hidden}/usr/share/cugrade ${CPACK_TEMPORARY_DIRECTORY}/solutions/usr/share/cugrade
  -type f -exec chmod 0640 {} + COMMAND_ERROR_IS_FATAL ANY)

# The supervisor and the sandbox's first process must run where no library can be reached.
file(WRITE ${public}/usr/share/lintian/overrides/cugrade "cugrade: statically-linked-binary\n")
execute_process(COMMAND chmod -R u=rwX,go=rX ${public}/usr/share/lintian COMMAND_ERROR_IS_FATAL ANY)
