// What a C++ program sees of the library.
#include <kauri/c_api.h>
#include <kauri/version.h>

#include <cstdio>
#include <string>

int main() {
  auto const same = std::string(KauriVersion()) == KAURI_VERSION;
  std::printf("headers %s, library %s\n", KAURI_VERSION, KauriVersion());
  return same ? 0 : 1;
}
