# What `cugrade --version` says. Included, it gives cugrade_describe(); run by `cmake -P` in each build, with SOURCE,
# RELEASE and OUTPUT, it writes a header, and only if it changes: one file is compiled anew after a commit, not all.

# cugrade_describe(<folder> <release> <variable>): the version by the tags v1.2.3 of a git checkout:
#     1.2.3                       at the tag
#     1.2.3+12.gabc1234           12 commits past it; with .dirty behind it if files are changed
# and <release> where there is no such tag, no git, or no checkout: in an unpacked archive. A checkout around the
# folder, of another project, does not count.
function(cugrade_describe folder release variable)
  set(${variable} ${release} PARENT_SCOPE)
  find_program(CUGRADE_GIT git)
  file(REAL_PATH ${folder} folder)
  if(NOT CUGRADE_GIT OR NOT EXISTS ${folder}/.git)
    return()
  endif()
  execute_process(COMMAND ${CUGRADE_GIT} -C ${folder} describe --tags --match "v[0-9]*" --long --dirty
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT described MATCHES "^v(.+)-([0-9]+)-(g[0-9a-f]+)(-dirty)?$")
    return()
  endif()
  set(tag ${CMAKE_MATCH_1})
  set(parts)
  if(NOT CMAKE_MATCH_2 EQUAL 0)
    list(APPEND parts ${CMAKE_MATCH_2} ${CMAKE_MATCH_3})
  endif()
  if(CMAKE_MATCH_4)
    list(APPEND parts dirty)
  endif()
  list(JOIN parts "." parts)
  if(parts)
    set(parts "+${parts}")
  endif()
  set(${variable} ${tag}${parts} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cugrade_describe(${SOURCE} ${RELEASE} version)
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define CUGRADE_DESCRIBED_VERSION \"${version}\"\n" @ONLY)
endif()
