# CUGRADE_DEVELOPER_BUILD: a build of everything in less time. `make test` and `make demo` switch it on; it is
# off for users and for packages, and `make install` builds without it. Nothing about it is anywhere else.
#
# The product's code is compiled as without it: same warnings, same optimisation, same definitions. What it does:
#   - ccache, where it is installed
#   - the emulator for one instruction set only: the best one that this processor can run
#   - one nvcc run for release and sanitize builds: sanitizers do not change PTX
#   - unity builds, where most of a file's time goes into the templates of libraries (CLI11, nlohmann, yaml-cpp)
#   - precompiled headers, where many files include the same ones
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

# cugrade_unity(<batch size, 0 for all> <target>...)
function(cugrade_unity size)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# cugrade_share_headers(<owner> <target>...): the targets take what the owner precompiles.
function(cugrade_share_headers owner)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endforeach()
endfunction()

# cugrade_developer_build(): to be called when all targets are there.
function(cugrade_developer_build)
  set(usual <fmt/format.h> <algorithm> <array> <filesystem> <functional> <map> <memory> <optional> <string> <vector>)
  # Files of these have things of their own of the same name.
  set(apart decode/opcodes.cpp ops/bits.cpp ops/float.cpp ops/integer.cpp state/memory.cpp)
  set(emulator ${PROJECT_SOURCE_DIR}/harness/emulator)
  list(TRANSFORM apart PREPEND ${emulator}/)
  set_source_files_properties(${apart} DIRECTORY ${emulator} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  cugrade_unity(0 cugrade_backend cugrade_build cugrade_cli cugrade_config cugrade_gpu cugrade_grading
    cugrade_judging cugrade_report cugrade_studies cugrade_timing)
  foreach(isa IN LISTS CUGRADE_INTERPRETER_ISAS)
    cugrade_unity(0 cugrade_emulator_${isa})
    target_precompile_headers(cugrade_interpreter_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/harness/emulator/ops/lane_loops.hpp
      ${usual} <unordered_map>)
    cugrade_share_headers(cugrade_interpreter_${isa} cugrade_observe_${isa})
  endforeach()

  if(CUGRADE_SANITIZE OR CUGRADE_SANITIZE_THREADS)  # at -O0 nearly all of the time goes into headers
    cugrade_unity(4 cugrade_core cugrade_counts cugrade_emulator_client cugrade_findings cugrade_model
      cugrade_oracle_client cugrade_ptx cugrade_scoring cugrade_cudart)
    foreach(isa IN LISTS CUGRADE_INTERPRETER_ISAS)
      cugrade_unity(4 cugrade_interpreter_${isa})
    endforeach()
  else()
    target_precompile_headers(cugrade_core PRIVATE ${usual})
    cugrade_share_headers(cugrade_core cugrade_counts cugrade_datasets cugrade_emulator_client cugrade_findings
      cugrade_model cugrade_oracle_client cugrade_oracle_server cugrade_oracles cugrade_ptx cugrade_sandbox
      cugrade_scoring)
  endif()

  if(CUGRADE_TESTS)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/tests PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "^test_")
    list(REMOVE_ITEM targets test_core)
    target_precompile_headers(test_core PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit/catch.hpp <fmt/format.h> <algorithm>
      <cmath> <filesystem> <fstream> <functional> <map> <optional> <string> <vector>)
    cugrade_share_headers(test_core ${targets})
    foreach(target IN ITEMS test_core ${targets})
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()
