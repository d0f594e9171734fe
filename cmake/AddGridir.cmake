# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# One line for each thing that is added to gridir.

# Everything that a source of ours may include after TableGen has run.
add_custom_target(gridir-headers)

# add_gridir_library(Name Source.cpp... [LINK_LIBS target...] [INCLUDE_DIRS dir...] [PRECOMPILED header...])
#
# A static library of ours, part of the native library. It links nothing of MLIR by name;
# LINK_LIBS names libraries of gridir, for the sake of people who build on the installed package.
# PRECOMPILED names the headers that its sources share, if these are not those of MLIR. None are precompiled if it is
# empty: to load MLIR's takes longer than to read a few headers of LLVM.
function(add_gridir_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;INCLUDE_DIRS;PRECOMPILED" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:GridirCompileOptions> PUBLIC ${ARG_LINK_LIBS})
  target_include_directories(${name} SYSTEM PRIVATE ${ARG_INCLUDE_DIRS})
  if(ARG_PRECOMPILED)
    target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILED})
  elseif(NOT PRECOMPILED IN_LIST ARG_KEYWORDS_MISSING_VALUES)
    target_precompile_headers(${name} REUSE_FROM GridirPrecompiled)
  endif()
  if(GRIDIR_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${GRIDIR_UNITY})
  endif()
  add_dependencies(${name} gridir-headers)
  set_property(GLOBAL APPEND PROPERTY GRIDIR_LIBS ${name})
endfunction()

# add_gridir_tablegen(Target File.td output.inc "-gen-flag..." [output.inc "-gen-flag..." ...])
#
# The outputs lie at the path of File.td below the build directory, so that a source includes
# "dialects/Grid/IR/GridOps.h.inc".
function(add_gridir_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs output flags)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}")
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
  add_dependencies(gridir-headers ${target})
endfunction()

# add_gridir_tool(name)
#
# A thin C main `name.c` over the native library: in <build>/bin, and on PATH after installation.
function(add_gridir_tool name)
  add_executable(${name} ${name}.c)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE GridirNative)
  # From the directory of scripts to the package, as pip lays them out: a venv or a prefix,
  # Debian's system Python, and `pip install --target`.
  set(python_lib "$ORIGIN/../lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
  set_target_properties(
    ${name} PROPERTIES INSTALL_RPATH "${python_lib}/site-packages/${GRIDIR_NATIVE_DIR}:${python_lib}/dist-packages/${GRIDIR_NATIVE_DIR}:$ORIGIN/../${GRIDIR_NATIVE_DIR}")
  if(SKBUILD)
    install(TARGETS ${name} DESTINATION "${SKBUILD_SCRIPTS_DIR}")
  endif()
endfunction()
