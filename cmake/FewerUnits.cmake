# CUGRADE_FEWER_UNITS: the same code in half the compiler's time. Most of a file's time goes into the templates of
# libraries (CLI11, nlohmann, yaml-cpp), so several files are compiled as one (unity builds), and what many of them
# include is compiled beforehand. It is on for everybody; switch it off to see that each file includes what it needs.

option(CUGRADE_FEWER_UNITS "Compile several files as one, and headers beforehand: see cmake/FewerUnits.cmake" ON)
if(NOT CUGRADE_FEWER_UNITS)
  function(cugrade_fewer_units)
  endfunction()
  return()
endif()

# cugrade_unity(<batch size, 0 for all> <target>...)
function(cugrade_unity size)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# cugrade_apart(<folder of harness/> <file>...): files that have things of their own of the same name as others.
function(cugrade_apart folder)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/harness/${folder}/)
  set_source_files_properties(${ARGN} DIRECTORY ${PROJECT_SOURCE_DIR}/harness/${folder}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# cugrade_share_headers(<owner> <target>...): the targets take what the owner precompiles.
function(cugrade_share_headers owner)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endforeach()
endfunction()

# cugrade_fewer_units(): to be called when all targets are there.
function(cugrade_fewer_units)
  set(usual <fmt/format.h> <algorithm> <array> <filesystem> <functional> <map> <memory> <optional> <string> <vector>)
  cugrade_apart(core verdict.cpp)
  cugrade_apart(emulator decode/opcodes.cpp ops/bits.cpp ops/float.cpp ops/integer.cpp state/memory.cpp)
  cugrade_apart(emulator/observe idioms.cpp timing_counters.cpp)
  cugrade_apart(emulator/ptx types.cpp)
  cugrade_apart(emulator/runtime memory.cpp)

  cugrade_unity(0 cugrade_backend cugrade_build cugrade_cluster cugrade_config cugrade_gpu cugrade_grading
    cugrade_judging cugrade_report cugrade_studies cugrade_timing)
  cugrade_unity(20 cugrade_cli)
  cugrade_unity(8 cugrade_core cugrade_counts cugrade_cudart cugrade_emulator_client cugrade_findings
    cugrade_interventions cugrade_model cugrade_oracle_client cugrade_ptx cugrade_record cugrade_scoring)
  target_precompile_headers(cugrade_core PRIVATE ${usual})
  cugrade_share_headers(cugrade_core cugrade_counts cugrade_datasets cugrade_emulator_client cugrade_findings
    cugrade_model cugrade_oracle_client cugrade_oracle_server cugrade_oracles cugrade_ptx cugrade_sandbox
    cugrade_scoring)
  foreach(isa IN LISTS CUGRADE_INTERPRETER_ISAS)
    cugrade_unity(0 cugrade_emulator_${isa})
    cugrade_unity(6 cugrade_interpreter_${isa})
    cugrade_unity(8 cugrade_observe_${isa})
    target_precompile_headers(cugrade_interpreter_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/harness/emulator/ops/lane_loops.hpp
      ${usual} <unordered_map>)
    cugrade_share_headers(cugrade_interpreter_${isa} cugrade_observe_${isa})
  endforeach()

  if(CUGRADE_TESTS)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/tests PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "^test_")
    list(REMOVE_ITEM targets test_core)
    target_precompile_headers(test_core PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit/catch.hpp <fmt/format.h> <algorithm>
      <cmath> <filesystem> <fstream> <functional> <map> <optional> <string> <vector>)
    cugrade_share_headers(test_core ${targets})
  endif()
endfunction()
