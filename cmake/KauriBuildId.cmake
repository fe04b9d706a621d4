# What a plug-in must have been compiled with to share objects with the library: a checksum of all headers. Another build
# of the same version may lay its classes out in another way.
file(GLOB_RECURSE kauri_headers CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/include/*.h" "${CMAKE_SOURCE_DIR}/include/*.h.in" "${CMAKE_SOURCE_DIR}/src/*.h")
list(SORT kauri_headers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kauri_headers})
set(kauri_checksums "${PROJECT_VERSION}")
foreach(header IN LISTS kauri_headers)
  file(SHA256 "${header}" checksum)
  string(APPEND kauri_checksums " ${checksum}")
endforeach()
string(SHA256 KAURI_BUILD_ID "${kauri_checksums}")
string(SUBSTRING "${KAURI_BUILD_ID}" 0 16 KAURI_BUILD_ID)
configure_file(include/kauri/build_id.h.in "${CMAKE_CURRENT_BINARY_DIR}/include/kauri/build_id.h" @ONLY)
