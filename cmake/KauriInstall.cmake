# `cmake --install`: the library for C and C++, the program, the plug-ins, and what find_package(kauri) and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(kauri_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/kauri")

install(TARGETS kauri EXPORT kauriTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"  # the DLL of Windows
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET kauri_cli)
  install(TARGETS kauri_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET kauri_cuda)
  install(TARGETS kauri_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/kauri" "${CMAKE_BINARY_DIR}/include/kauri"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT kauriTargets NAMESPACE kauri:: DESTINATION "${kauri_package_folder}")
configure_package_config_file(cmake/kauriConfig.cmake.in "${CMAKE_BINARY_DIR}/kauriConfig.cmake"
  INSTALL_DESTINATION "${kauri_package_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/kauriConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/kauriConfig.cmake" "${CMAKE_BINARY_DIR}/kauriConfigVersion.cmake"
  DESTINATION "${kauri_package_folder}")

# Relative, so that `cmake --install --prefix` may say another place.
file(RELATIVE_PATH KAURI_INCLUDE_FROM_PC "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file(cmake/kauri.pc.in "${CMAKE_BINARY_DIR}/kauri.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/kauri.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
