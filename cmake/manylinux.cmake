# Toolchain of the presets wheel and wheel-cuda: this machine's compiler, and the libraries of an older system that
# cmake/manylinux.py has put into build-manylinux, so that the wheels run there, too.
get_filename_component(older "${CMAKE_CURRENT_LIST_DIR}/../build-manylinux" ABSOLUTE)
# -B: the start file of programs is the older one. Libraries of libraries are this machine's own and need its glibc; what
# they need is checked where they are used.
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-B${older} -L${older} -Wl,-rpath-link,${older} -Wl,--allow-shlib-undefined -Wl,--no-undefined")
endforeach()
