# What `make install` puts where: headers, libraries, the program, kernels, tilec.pc for pkg-config,
# find_package(tilec) with tilec_add_kernel(), and the man page.

if(TILEC_STATIC) # programs only; the library inside them is nobody else's
    if(TARGET tilec_cli)
        install(TARGETS tilec_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
    return()
endif()

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
install(TARGETS ${tilec_installed} EXPORT tilec-targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tilec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(DIRECTORY kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/tilec
    FILES_MATCHING PATTERN *.tile.c)
file(GLOB man_pages CONFIGURE_DEPENDS docs/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Relative, so that `cmake --install --prefix` and moved trees stay right; each folder may be an absolute
# one, as some packagers have them.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH TILEC_PC_TO_PREFIX ${pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH TILEC_PC_TO_INCLUDE ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/tilec.pc.in ${PROJECT_BINARY_DIR}/tilec.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tilec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(TILEC_KERNELS_DIR ${CMAKE_INSTALL_DATADIR}/tilec/kernels)
configure_package_config_file(cmake/tilec-config.cmake.in ${PROJECT_BINARY_DIR}/tilec-config.cmake
    INSTALL_DESTINATION ${config_dir} PATH_VARS TILEC_KERNELS_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilec-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(EXPORT tilec-targets NAMESPACE tilec:: DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/tilec-config.cmake
    ${PROJECT_BINARY_DIR}/tilec-config-version.cmake cmake/tilec-add-kernel.cmake
    DESTINATION ${config_dir})

# The same package straight from the build folder: find_package(tilec PATHS build).
export(TARGETS ${tilec_installed} NAMESPACE tilec:: FILE ${PROJECT_BINARY_DIR}/tilec-targets.cmake)
configure_file(cmake/tilec-add-kernel.cmake ${PROJECT_BINARY_DIR}/tilec-add-kernel.cmake COPYONLY)
