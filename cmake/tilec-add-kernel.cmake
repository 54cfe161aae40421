# tilec_add_kernel(TARGET SOURCE FILE.tile.c [KERNEL NAME] [HEADER NAME.h] [CPU LEVEL...]
#                  [DEFINE NAME=VALUE...] [DEPENDS FILE...] [OPTIONS ...])
#
# Compiles a kernel file ahead of time into a static library TARGET. Linking with it gives the code
# and the folder of the generated header, which is called TARGET.h unless HEADER says otherwise. The
# functions keep the kernel's name; OPTIONS --symbol NAME gives them another, as one program needs
# that takes a kernel with several constants. What the kernel file includes is found out when it is
# compiled, with Ninja or Makefiles and CMake from 3.20 on; elsewhere DEPENDS has to name it. DEFINE
# also fixes scalars, and the functions then refuse other values (docs/language.md). The
# program needs neither tilec nor LLVM to run. CPU levels such as x86-64-v3 x86-64-v4 are all put in
# and one is chosen when the program runs; without any, the code is for x86-64-v3, on other
# architectures for every processor. It is always of the architecture that the compiler runs on.

# The paths that the compiler notes are put as Ninja has them, whatever policies the project chose.
cmake_policy(PUSH)
if(POLICY CMP0116)
    cmake_policy(SET CMP0116 NEW)
endif()

function(tilec_add_kernel target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;KERNEL;HEADER" "CPU;DEFINE;DEPENDS;OPTIONS")
    if(NOT arg_SOURCE OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tilec_add_kernel(${target}): SOURCE FILE.tile.c is needed, and only "
            "KERNEL, HEADER, CPU, DEFINE, DEPENDS and OPTIONS may follow (left over: "
            "'${arg_UNPARSED_ARGUMENTS}')")
    endif()
    # An archive needs a language that the project has.
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    set(language C)
    if(NOT C IN_LIST languages)
        set(language CXX)
    endif()
    get_filename_component(source ${arg_SOURCE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT arg_HEADER)
        set(arg_HEADER ${target}.h)
    endif()
    string(REGEX REPLACE "^(amd|AMD)64$" "x86_64" here "${CMAKE_HOST_SYSTEM_PROCESSOR}")
    string(REGEX REPLACE "^(amd|AMD)64$" "x86_64" there "${CMAKE_SYSTEM_PROCESSOR}")
    if(CMAKE_CROSSCOMPILING AND NOT here STREQUAL there)
        message(FATAL_ERROR "tilec_add_kernel(${target}): kernels are compiled for '${here}', on which the "
            "compiler runs, not for '${there}'")
    endif()
    set(flags "")
    foreach(level IN LISTS arg_CPU)
        list(APPEND flags --cpu ${level})
    endforeach()
    foreach(define IN LISTS arg_DEFINE)
        list(APPEND flags -D ${define})
    endforeach()
    set(depends "")
    foreach(file IN LISTS arg_DEPENDS)
        get_filename_component(file ${file} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND depends ${file})
    endforeach()
    set(what ${source})
    if(arg_KERNEL)
        string(APPEND what ":${arg_KERNEL}")
    endif()

    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.tilec)
    set(object ${folder}/${target}.o)
    set(header ${folder}/${arg_HEADER})
    get_filename_component(header_folder ${header} DIRECTORY) # HEADER may name one
    file(MAKE_DIRECTORY ${folder} ${header_folder})
    set(depfile "")
    if(NOT CMAKE_VERSION VERSION_LESS 3.20 AND CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
        set(depfile DEPFILE ${object}.d)
        list(APPEND flags --depfile ${object}.d)
    endif()
    add_custom_command(OUTPUT ${object} ${header}
        COMMAND tilec::compiler build ${what} --target cpu ${flags} ${arg_OPTIONS}
                -o ${object} --header ${header}
        DEPENDS ${source} ${depends} tilec::compiler ${depfile}
        VERBATIM COMMENT "Compiling kernel ${arg_SOURCE}")
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${target} STATIC ${object} ${header})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
    target_include_directories(${target} INTERFACE ${folder})
    target_link_libraries(${target} INTERFACE m)
endfunction()

cmake_policy(POP)
