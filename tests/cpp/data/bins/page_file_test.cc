#include "data/bins/page_file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "data/bins/bin_store_maker.h"
#include "support/error.h"
#include "support/posix.h"
#include "support/random_matrix.h"
#include "support/row_batches.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MatrixSpec;
using testing::RowBatches;

BinStoreOptions InPages() {
  BinStoreOptions options;
  options.in_file = true;
  return options;
}

/// Returns the number of files of this process in the folder.
std::size_t CountFiles(std::filesystem::path const& folder) {
  std::size_t count = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) count += entry.exists() ? 1 : 0;
  return count;
}

TEST(PageFile, HasNoNameAndGoesWithItsOwner) {
  auto const folder = std::filesystem::path(::testing::TempDir()) / "kauri_pages";
  std::filesystem::create_directories(folder);
  auto options = InPages();
  options.file_prefix = (folder / "cache").string();
  {
    RowBatches batches(*MakeMatrix(MatrixSpec{}), 30);
    auto const data = MakeBinnedMatrix(Context{}, &batches, options);
    EXPECT_EQ(CountFiles(folder), KAURI_TEST_POSIX ? 0U : 1U);  // Windows lists a file until its last owner closes it
    EXPECT_EQ(data->NumRows(), 100);
  }
  EXPECT_EQ(CountFiles(folder), 0U);
  auto const absent = (std::filesystem::path("absent") / "cache").string();
  options.file_prefix = (folder / absent).string();
  RowBatches again(*MakeMatrix(MatrixSpec{}), 30);
  auto const message = MessageOf([&] { MakeBinnedMatrix(Context{}, &again, options); });
  EXPECT_NE(message.find(absent), std::string::npos) << message;
  EXPECT_NE(message.find("cache_prefix"), std::string::npos);
}

#if KAURI_TEST_POSIX
TEST(PageFile, AFullDiskSaysWhatPathAndCure) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit const small{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  auto options = InPages();
  options.file_prefix = ::testing::TempDir() + "full";
  RowBatches batches(*MakeMatrix(MatrixSpec{}), 30);
  auto const message = MessageOf([&] { MakeBinnedMatrix(Context{}, &batches, options); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot write the page file '" + options.file_prefix), std::string::npos) << message;
  EXPECT_NE(message.find("800 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("Free space there"), std::string::npos) << message;
}

#endif

TEST(PageFile, ReadsWhatWasWrittenAndNoMore) {
  PageFile const file("");
  file.Write(3, {"abc", 3});
  std::vector<char> bytes(3);
  file.Read(3, bytes);
  EXPECT_EQ(std::string(bytes.data(), 3), "abc");
  EXPECT_NE(MessageOf([&] { file.Read(4, bytes); }).find("it ends before"), std::string::npos);
}

}  // namespace
}  // namespace kauri
