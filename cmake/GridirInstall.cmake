# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What an out-of-tree project needs of the installed package: headers, archives, GridirConfig.cmake.

set(headers
    FILES_MATCHING
    PATTERN "*.h"
    PATTERN "*.td"
    PATTERN "*.h.inc"
    PATTERN "CMakeFiles" EXCLUDE
    PATTERN "python" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/dialects" DESTINATION gridir/include ${headers})
install(DIRECTORY "${PROJECT_BINARY_DIR}/dialects" DESTINATION gridir/include ${headers})

# The dialects, passes and pipelines; not what is only for the native library.
get_property(libraries GLOBAL PROPERTY GRIDIR_LIBS)
list(REMOVE_ITEM libraries GridirCAPI GridirCPURuntime GridirGPURuntime GridirPTXRuntime)
install(TARGETS ${libraries} ARCHIVE DESTINATION gridir/lib)
# CMake strips only programs and shared libraries.
if(CMAKE_STRIP AND NOT APPLE)
  install(CODE "
    file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/gridir/lib/*.a\")
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \${archives} COMMAND_ERROR_IS_FATAL ANY)
  ")
endif()

include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/GridirConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
# What it tells a person to install who has none.
file(STRINGS "${PROJECT_SOURCE_DIR}/pyproject.toml" requirements REGEX "^  \"xtc-(mlir|llvm)-(dev|tools)==")
string(REGEX REPLACE "[\",]" "" requirements "${requirements}")
string(REGEX REPLACE "[; ]+" " " GRIDIR_MLIR_REQUIREMENTS "${requirements}")
string(STRIP "${GRIDIR_MLIR_REQUIREMENTS}" GRIDIR_MLIR_REQUIREMENTS)
configure_file("${PROJECT_SOURCE_DIR}/cmake/GridirConfig.cmake" GridirConfig.cmake @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/GridirConfigVersion.cmake" "${PROJECT_BINARY_DIR}/GridirConfig.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/GridirLinkMLIR.cmake" DESTINATION gridir/lib/cmake/gridir)
