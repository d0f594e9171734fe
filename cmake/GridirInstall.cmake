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
list(REMOVE_ITEM libraries GridirCAPI GridirCPURuntime)
install(TARGETS ${libraries} ARCHIVE DESTINATION gridir/lib)

include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/GridirConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/GridirConfigVersion.cmake" "${PROJECT_SOURCE_DIR}/cmake/GridirConfig.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/GridirLinkMLIR.cmake" DESTINATION gridir/lib/cmake/gridir)
