# CUGRADE_DEVELOPER_BUILD: a build of everything in less time. `make test` and `make demo` switch it on; it is
# off for users and for packages, and `make install` builds without it. Nothing about it is anywhere else.
#
# The product's code is compiled as without it: same warnings, same optimisation, same definitions. What it does:
#   - ccache, where it is installed
#   - the emulator for one instruction set only: the best one that this processor can run
#   - one nvcc run for release and sanitize builds: sanitizers do not change PTX
#   - no optimisation of the tests' own code: it runs once
# The figures are in CONTRIBUTING.md.

option(CUGRADE_DEVELOPER_BUILD "Build faster, for those who change cugrade: see cmake/DeveloperBuild.cmake" OFF)
if(NOT CUGRADE_DEVELOPER_BUILD)
  function(cugrade_developer_build)
  endfunction()
  return()
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CUGRADE_CCACHE ccache)
  if(CUGRADE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CUGRADE_CCACHE})
  endif()
endif()

if(NOT CUGRADE_EMULATOR_ISAS AND CMAKE_BUILD_TYPE STREQUAL "Release" AND EXISTS /lib64/ld-linux-x86-64.so.2)
  execute_process(COMMAND /lib64/ld-linux-x86-64.so.2 --help OUTPUT_VARIABLE loader ERROR_QUIET)
  if(loader MATCHES "x86-64-v3 \\(supported")
    set(CUGRADE_EMULATOR_ISAS x86-64-v3)
  endif()
endif()

# scripts/build.sh builds the release before it configures the sanitizers.
set(release ${PROJECT_SOURCE_DIR}/build/release)
if(CUGRADE_SANITIZE AND EXISTS ${release}/tests/checkers AND EXISTS ${release}/harness/gpu/kernels.o)
  set(CUGRADE_CHECKER_PTX ${release}/tests/checkers CACHE PATH "Folder of the checkers' kernels as PTX")
  set(CUGRADE_GRADER_KERNELS ${release}/harness/gpu/kernels.o CACHE FILEPATH "Object of the grader's kernels")
endif()

# cugrade_developer_build(): to be called when all targets are there.
function(cugrade_developer_build)
  if(CUGRADE_TESTS)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/tests PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "^test_")
    foreach(target IN LISTS targets)
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()
