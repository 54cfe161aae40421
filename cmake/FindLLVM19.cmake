# Finds LLVM 19 through its own llvm-config and gives the target tilec_llvm.
#
# LLVM's CMake package would do too, but it insists on finding libraries (zstd, z3, libedit, ffi)
# that a user of the shared library does not need.

find_program(LLVM_CONFIG NAMES llvm-config-19 llvm-config HINTS /usr/lib/llvm-19/bin)
if(NOT LLVM_CONFIG)
    message(FATAL_ERROR "LLVM 19 is missing (llvm-config-19): apt-get install llvm-19-dev, "
        "or configure with -DTILEC_CPU=OFF to build without the CPU backend")
endif()

function(tilec_llvm_config result)
    execute_process(COMMAND ${LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

tilec_llvm_config(TILEC_LLVM_VERSION --version)
if(NOT TILEC_LLVM_VERSION VERSION_GREATER_EQUAL 19 OR NOT TILEC_LLVM_VERSION VERSION_LESS 20)
    message(FATAL_ERROR "LLVM 19 is needed, ${LLVM_CONFIG} is ${TILEC_LLVM_VERSION}: "
        "configure with -DLLVM_CONFIG=/path/to/llvm-config-19")
endif()
tilec_llvm_config(llvm_include --includedir)
tilec_llvm_config(llvm_libdir --libdir)
find_library(TILEC_LLVM_LIBRARY NAMES LLVM-19 LLVM HINTS ${llvm_libdir} NO_DEFAULT_PATH REQUIRED)

add_library(tilec_llvm INTERFACE)
target_include_directories(tilec_llvm SYSTEM INTERFACE ${llvm_include})
target_link_libraries(tilec_llvm INTERFACE ${TILEC_LLVM_LIBRARY})
