# Compiler settings, dependencies and the two functions that every folder's CMakeLists.txt uses.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# The build tree has the layout of an installed prefix, so that the programs find their files alike.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# Relative to the prefix and the same everywhere (no lib64), because cugrade looks there.
set(CUGRADE_INSTALL_LIB lib/cugrade)
set(CUGRADE_INSTALL_LIBEXEC libexec/cugrade)
set(CUGRADE_LIBEXEC ${CMAKE_BINARY_DIR}/libexec/cugrade)
set(CUGRADE_LIB ${CMAKE_BINARY_DIR}/lib/cugrade)
set(CUGRADE_SHARE ${CMAKE_BINARY_DIR}/share/cugrade)

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -Werror)
# GCC 12 and 13 see some in std::string and fmt that are not there (GCC PR 105651).
add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
if(CUGRADE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_options(-Wno-maybe-uninitialized)  # false ones in <regex> and Catch2 under GCC 12
endif()

if(CUGRADE_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(SQLite3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
find_package(LibArchive)
if(NOT LibArchive_FOUND)
  message(STATUS "libarchive-dev is not installed: `cugrade batch` will open no archives, and their tests are left out")
endif()
# CMake 3.25, Debian 12's, marks a library as deprecated that CUDA 13 no longer has, and fails where it is missing.
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
find_package(CUDAToolkit REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # 0.7 exports it without a namespace
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# cugrade_library(<name> [DEPENDS <target>...]): a static library of the folder's *.cpp.
function(cugrade_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR} has no .cpp file for ${name}")
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/harness ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# cugrade_assignment_ids(<variable>): the ids of all assignments; every id must have every part.
function(cugrade_assignment_ids variable)
  file(GLOB yamls CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/assignments/*/assignment.yaml)
  set(ids)
  foreach(yaml IN LISTS yamls)
    get_filename_component(folder ${yaml} DIRECTORY)
    get_filename_component(id ${folder} NAME)
    foreach(part
        assignments/${id}/README.md assignments/${id}/interface.cuh assignments/${id}/tasks.cpp
        student_template/${id}/student.cu student_template/${id}/Makefile
        reference/${id}/baseline.cu reference/${id}/solution.cu reference/${id}/oracle.cpp)
      if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${part})
        message(FATAL_ERROR "assignment ${id}: ${part} is missing")
      endif()
    endforeach()
    list(APPEND ids ${id})
  endforeach()
  set(${variable} ${ids} PARENT_SCOPE)
endfunction()

# What the interpreter is compiled with: arithmetic as written, and vectorised loops over lanes.
set(CUGRADE_INTERPRETER_OPTIONS -ffp-contract=off -fno-math-errno -fno-trapping-math
  $<$<NOT:$<CONFIG:Debug>>:-O3>)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT CUGRADE_EMULATOR_ISAS)
  if(CUGRADE_SANITIZE OR CUGRADE_SANITIZE_THREADS)
    set(CUGRADE_EMULATOR_ISAS x86-64)
  else()
    # x86-64-v4 was measured to be no faster than v3; -DCUGRADE_EMULATOR_ISAS takes it too.
    set(CUGRADE_EMULATOR_ISAS x86-64 x86-64-v3)
  endif()
endif()
