# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# gridir_link_mlir(target shared [archive...])
#
# Makes an INTERFACE target link MLIR and LLVM: all their static archives, of which the linker takes what is
# referenced, or libMLIR.so and libLLVM.so. More archives may join the group.
#
# The exported targets of an MLIR that was configured with LLVM_LINK_LLVM_DYLIB ask for libLLVM.so. Linking files
# instead of targets keeps that second copy of LLVM out of the process, and no library has to list what it uses.
function(gridir_link_mlir target shared)
  if(shared)
    target_link_libraries(${target} INTERFACE MLIR LLVM)
    return()
  endif()
  set(archives ${ARGN})
  foreach(library IN LISTS MLIR_EXPORTED_TARGETS LLVM_AVAILABLE_LIBS)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" AND NOT library MATCHES "^MLIRCAPI")
      list(APPEND archives "$<TARGET_FILE:${library}>")
    endif()
  endforeach()
  target_link_libraries(${target} INTERFACE -Wl,--start-group ${archives} -Wl,--end-group ${CMAKE_DL_LIBS} pthread)
endfunction()

# gridir_make_tblgen_executable()
#
# `pip install` may drop the run bit of a tool that a wheel holds.
function(gridir_make_tblgen_executable)
  get_target_property(tblgen mlir-tblgen LOCATION)
  execute_process(COMMAND "${tblgen}" --version OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(CHMOD "${tblgen}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                       WORLD_EXECUTE)
  endif()
endfunction()
