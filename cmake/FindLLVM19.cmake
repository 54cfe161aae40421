# Finds LLVM 19 through its own llvm-config and gives two targets: tilec_llvm, the shared library, and
# tilec_llvm_module, what the CPU backend's module is linked with: LLVM's archives where they are
# (TILEC_LLVM_STATIC), else the shared library too.
#
# With two of LLVM's twenty processors, and none of the libraries that the shared one needs, the module
# has half the relocations when it is loaded, and switches that it sets in LLVM are its own: a cold
# `tilec run` of a small softmax takes 56 ms instead of 75 (Zen 1). Packed relocations (-z
# pack-relative-relocs) took nothing off that. Programs of tests take the shared library: each would be
# 60 MB otherwise.
#
# LLVM's CMake package would do too, but it insists on finding libraries (zstd, z3, libedit, ffi)
# that a user of the shared library does not need.

include(CheckLinkerFlag)

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

# The processors for which there is code (src/cpu/features.c), as far as this LLVM has them.
tilec_llvm_config(llvm_targets --targets-built)
separate_arguments(llvm_targets)
set(llvm_components passes irreader linker analysis bitreader bitwriter)
foreach(target X86 AArch64)
    if(target IN_LIST llvm_targets)
        target_compile_definitions(tilec_llvm INTERFACE TILEC_LLVM_${target}=1)
        string(TOLOWER ${target} component)
        list(APPEND llvm_components ${component})
    endif()
endforeach()

# ---- The archives ---------------------------------------------------------------------------

# Names of all archives, or "" where one is missing, or a library that they need.
function(tilec_llvm_archives result)
    set(${result} "" PARENT_SCOPE)
    execute_process(COMMAND ${LLVM_CONFIG} --link-static --libfiles ${llvm_components}
        OUTPUT_VARIABLE files RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(files)
    foreach(file IN LISTS files)
        if(NOT EXISTS ${file})
            return()
        endif()
    endforeach()
    # Debian's llvm-19-dev brings the libraries themselves, but not the names that -lz looks for.
    find_library(TILEC_ZLIB NAMES z libz.so.1)
    find_library(TILEC_ZSTD NAMES zstd libzstd.so.1)
    if(status EQUAL 0 AND files AND TILEC_ZLIB AND TILEC_ZSTD)
        set(${result} ${files} ${TILEC_ZLIB} ${TILEC_ZSTD} PARENT_SCOPE)
    endif()
endfunction()

# C++'s own library as an archive, where the compiler has one.
function(tilec_cxx_archive result)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE file
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${file}")
        set(file -lstdc++)
    endif()
    set(${result} ${file} PARENT_SCOPE)
endfunction()

add_library(tilec_llvm_module INTERFACE)
set(llvm_archives "")
if(TILEC_LLVM_STATIC AND NOT TILEC_SANITIZE AND NOT TILEC_FUZZ)
    tilec_llvm_archives(llvm_archives)
endif()
if(llvm_archives)
    message(STATUS "LLVM ${TILEC_LLVM_VERSION}: its archives, in libtilec-cpu.so")
    tilec_cxx_archive(cxx_archive)
    target_link_libraries(tilec_llvm_module INTERFACE -Wl,--start-group ${llvm_archives} -Wl,--end-group
        ${cxx_archive} m ${CMAKE_DL_LIBS})
    target_link_options(tilec_llvm_module INTERFACE -Wl,--gc-sections -Wl,--exclude-libs,ALL)
    check_linker_flag(C -fuse-ld=lld TILEC_HAS_LLD) # links in 3 s instead of 9
    if(TILEC_HAS_LLD)
        target_link_options(tilec_llvm_module INTERFACE -fuse-ld=lld)
    endif()
else()
    message(STATUS "LLVM ${TILEC_LLVM_VERSION}: the shared library")
    target_link_libraries(tilec_llvm_module INTERFACE ${TILEC_LLVM_LIBRARY})
endif()
