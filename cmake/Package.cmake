# Debian packages, by `cpack -G DEB` (make package): cugrade has what students may have, cugrade-solutions and
# cugrade-hidden the secret parts, as `make install` has them.
set(CPACK_PACKAGE_NAME cugrade)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CUGRADE_PACKAGE_CONTACT "cugrade maintainers <cugrade@localhost.localdomain>" CACHE STRING
  "Name and address of whoever answers for the packages")
set(CPACK_PACKAGE_CONTACT ${CUGRADE_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL Unspecified solutions hidden)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/stage.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME cugrade)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS "bubblewrap, g++")
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "autograder for CUDA courses, with a GPU or without
It compiles the kernels of a student, checks them on generated data, measures
their speedup over a baseline, and says where and why they are wrong.
.
It needs nvcc of NVIDIA's CUDA Toolkit 13, on the PATH or in /usr/local/cuda.
The toolkit is not a dependency, because its package has another name with
every version. No driver and no GPU are needed.")
set(CPACK_DEBIAN_SOLUTIONS_PACKAGE_NAME cugrade-solutions)
set(CPACK_DEBIAN_HIDDEN_PACKAGE_NAME cugrade-hidden)
foreach(part IN ITEMS SOLUTIONS HIDDEN)
  set(CPACK_DEBIAN_${part}_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_${part}_PACKAGE_DEPENDS "cugrade (= ${PROJECT_VERSION}-1), passwd")
endforeach()
set(CPACK_DEBIAN_SOLUTIONS_DESCRIPTION "solutions of cugrade's assignments
For those who grade: the files can be read by the members of the group
cugrade alone. Students must not be in it.")
set(CPACK_DEBIAN_HIDDEN_DESCRIPTION "hidden cases of cugrade's assignments
For those who grade: the files can be read by the members of the group
cugrade alone. Students must not be in it.")

cugrade_assignment_ids(ids)
list(JOIN ids " " ids)
foreach(script IN ITEMS hidden.preinst hidden.postrm hidden.postinst solutions.postinst)
  string(REGEX MATCH "^[a-z]+" part ${script})
  string(REGEX MATCH "[a-z]+$" name ${script})
  set(source ${script})
  if(name STREQUAL "postinst")
    set(source secret.postinst)
  endif()
  set(made ${CMAKE_BINARY_DIR}/packaging/${part}/${name})
  configure_file(${PROJECT_SOURCE_DIR}/packaging/${source} ${made} @ONLY)
  file(CHMOD ${made} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  string(TOUPPER ${part} part)
  list(APPEND CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA ${made})
endforeach()
include(CPack)
