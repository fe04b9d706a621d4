/// \file A main for compilers without libFuzzer: gives each named file, and each file below the named folders, to the
/// target once.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesBelow(fs::path const& path) {
  if (fs::is_regular_file(path)) return {path};
  std::vector<fs::path> files;
  if (!fs::is_directory(path)) return files;
  for (auto const& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void Replay(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> const bytes(std::istreambuf_iterator<char>(file), {});
  std::printf("%s\n", path.filename().string().c_str());
  std::fflush(stdout);  // so that the last line names the input of a crash
  LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n_files = 0;
  for (int i = 1; i < argc; ++i) {
    for (auto const& path : FilesBelow(argv[i])) {
      Replay(path);
      ++n_files;
    }
  }
  std::printf("%zu files\n", n_files);
  return n_files > 0 ? 0 : 1;
}
