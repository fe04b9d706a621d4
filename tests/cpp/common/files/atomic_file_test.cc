/// Names of replacements: as long as a name may be, in UTF-8 and in other codes.
#include "common/files/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/platform/process.h"
#include "support/need.h"
#include "support/posix.h"

namespace kauri {
namespace {

namespace fs = std::filesystem;

#if KAURI_TEST_POSIX

std::string Repeated(std::string const& text, int n_times) {
  std::string all;
  for (int i = 0; i < n_times; ++i) all += text;
  return all;
}

class ReplacementNames : public ::testing::Test {
 protected:
  ReplacementNames() : folder_(fs::temp_directory_path() / ("kauri-names-" + std::to_string(platform::ProcessId()))) {
    fs::create_directory(folder_);
  }
  ~ReplacementNames() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  /// Returns the part of a replacement's name that is of the file's name.
  std::string BeginningFor(std::string const& name) const {
    ReplacementFile const file(FindPlace((folder_ / name).string()));
    std::string beginning;
    EXPECT_TRUE(IsReplacementName(fs::path(file.Name()).filename().string(), &beginning));
    return beginning;
  }

  /// Returns whether the file system takes names that are not UTF-8.
  bool TakesAnyBytes() const {
    auto const path = (folder_ / "\x83\x8e").string();
    Descriptor const file(platform::OpenFile(path, platform::OpenMode::kNew));
    platform::RemoveFile(path);
    return file.IsOpen();
  }

  std::size_t MostBytes() const {
    return platform::kMostNameBytes - (".new-" + std::to_string(platform::ProcessId()) + "-0").size();
  }

  fs::path folder_;
};

TEST_F(ReplacementNames, HaveWholeCharactersOfUtf8) {
  for (std::string const character : {"n", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8C\xB2"}) {
    auto const n_characters = static_cast<int>(MostBytes() / character.size());
    for (std::string const first : {"", "a", "ab", "abc"}) {
      auto const fitting = static_cast<int>((MostBytes() - first.size()) / character.size());
      auto const name = first + Repeated(character, n_characters + 1);
      EXPECT_EQ(BeginningFor(name), first + Repeated(character, fitting));
    }
  }
}

TEST_F(ReplacementNames, InAnotherCodeAreCutAtTheLimit) {
  KAURI_SKIP_UNLESS(TakesAnyBytes(), "names must be UTF-8 here");
  auto const name = Repeated("\x83\x8e", 126);
  EXPECT_EQ(BeginningFor(name), name.substr(0, MostBytes()));
  std::string const text = "new";
  WriteFileAtomically((folder_ / name).string(), {text.data(), text.size()});
  EXPECT_TRUE(fs::exists(folder_ / name));
}

#endif

}  // namespace
}  // namespace kauri
