/// Detection of the client from the path of the library.
#include "booster/config/client.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "common/platform/library.h"
#include "common/platform/process.h"

namespace kauri::testing {
namespace {

using Version = std::array<int, 3>;

/// A package with a file VERSION. Its folder belongs to this process, because other processes run the same tests.
class Package {
 public:
  explicit Package(std::string const& version)
      : root_(::testing::TempDir() + "kauri_client_" + std::to_string(platform::ProcessId())) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "lib");
    std::ofstream(root_ / "VERSION") << version;
  }
  ~Package() { std::filesystem::remove_all(root_); }

  /// Returns the path of XGBoost's library, or of another one in its folder.
  std::string Library(std::string const& name = platform::kLibraryPrefix + std::string("xgboost.so")) const {
    return (root_ / "lib" / name).string();
  }

 private:
  std::filesystem::path root_;
};

TEST(Client, OfAPackageHasItsVersionAndHabits) {
  for (auto const& [text, version] : std::map<std::string, Version>{
           {"3.4.1\n", {3, 4, 1}}, {"1.7.6", {1, 7, 6}}, {"3.5.0-dev\n", {3, 5, 0}}, {"2.10.0rc1", {2, 10, 0}}}) {
    Package const package(text);
    auto const client = DescribeClient(package.Library(), "1.2.3");
    EXPECT_EQ(client.habits, Habits::kXgboost);
    EXPECT_EQ(client.version, version) << text;
  }
}

TEST(Client, ByAnotherNameIsKauris) {
  Package const package("3.4.1");
  for (auto const* name : {"libkauri.so", "libxgboost4j.so", "other_xgboost.so", "libxgboost"}) {
    auto const client = DescribeClient(package.Library(name), "");
    EXPECT_EQ(client.habits, Habits::kKauri) << name;
    EXPECT_EQ(client.version, (Version{3, 2, 0})) << name;
  }
  EXPECT_EQ(DescribeClient("", "3.3.0").version, (Version{3, 3, 0}));
}

TEST(Client, PassesOverWhatIsNoVersion) {
  for (auto const* text : {"", "three", "3", "3.4", "3.4.", "3..1", "-3.4.1", "3.4.99999999999"}) {
    Package const package(text);
    auto const client = DescribeClient(package.Library(), "2.1.4");
    EXPECT_EQ(client.habits, Habits::kXgboost);
    EXPECT_EQ(client.version, (Version{2, 1, 4})) << text;
    EXPECT_EQ(DescribeClient("/nowhere/libxgboost.so", text).version, (Version{3, 2, 0})) << text;
  }
}

TEST(Client, OfThisProgramIsKauris) { EXPECT_EQ(ThisClient().habits, Habits::kKauri); }

}  // namespace
}  // namespace kauri::testing
