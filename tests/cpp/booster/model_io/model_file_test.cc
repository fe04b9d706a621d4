#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>

#include "booster/model_io/model_fixture.h"
#include "common/files/atomic_file.h"
#include "common/files/read_file.h"
#include "common/platform/process.h"
#include "support/posix.h"

namespace kauri {
namespace {

namespace fs = std::filesystem;

/// An empty folder for one test.
class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(::testing::TempDir()) /
              ("kauri_model_file_" + std::string(name) + "_" + std::to_string(platform::ProcessId()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(std::string const& name) const { return (folder_ / name).string(); }
  static void Write(std::string const& path, std::string const& text) {
    WriteFileAtomically(path, {text.data(), text.size()});
  }
  std::size_t CountFiles() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  template <typename Call>
  static std::string IoMessage(Call const& call) {
    try {
      call();
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kIo);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  fs::path folder_;
};

#if KAURI_TEST_POSIX
/// Limits the size of files to `bytes` during its lifetime, to simulate a full disk.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit const limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};
#endif

bool Contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

TEST_F(ModelFile, SavedModelsLoad) {
  auto const bytes = testing::FixtureBytes("logistic.json");
  auto const model = testing::Parse(bytes);
  for (auto const* name : {"model.json", "model.ubj", "model.unknown"}) {
    SaveModel(model, Path(name));
    EXPECT_EQ(SerialiseModel(LoadModel(Path(name)), ModelFormat::kJson), bytes);
  }
  EXPECT_EQ(ReadFile(Path("model.unknown")), ReadFile(Path("model.ubj")));
  EXPECT_EQ(CountFiles(), 3U);
}

TEST_F(ModelFile, ErrorsOfLoadingNameTheFile) {
  Write(Path("bad.json"), "{\"learner\": 3}");
  try {
    LoadModel(Path("bad.json"));
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kModel);
    EXPECT_TRUE(Contains(error.what(), "bad.json"));
    EXPECT_TRUE(Contains(error.what(), "'learner' is an integer"));
  }
}

TEST_F(ModelFile, WhatCannotBeReadIsNamed) {
  EXPECT_TRUE(Contains(IoMessage([&] { ReadFile(Path("absent")); }), "No such file"));
  EXPECT_TRUE(Contains(IoMessage([&] { ReadFile(folder_.string()); }), "it is a folder"));
  std::ofstream(Path("empty")).close();
  EXPECT_TRUE(Contains(IoMessage([&] { ReadFile(Path("empty")); }), "it is empty"));
}

#if KAURI_TEST_POSIX
TEST_F(ModelFile, ReadsWhatHasNoSize) {
  EXPECT_TRUE(Contains(ReadFile("/proc/self/status"), "VmRSS"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string const text(100000, 'x');
  std::thread writer([&] { Write(Path("pipe"), text); });
  EXPECT_EQ(ReadFile(Path("pipe")), text);
  writer.join();
}

TEST_F(ModelFile, AFullDiskLeavesTheOldFile) {
  std::string const old_text = "the old model";
  Write(Path("model"), old_text);
  std::string const new_text(100000, 'n');
  std::string message;
  {
    SizeLimit const limit(4096);
    message = IoMessage([&] { Write(Path("model"), new_text); });
  }
  EXPECT_TRUE(Contains(message, "model")) << message;
  EXPECT_TRUE(Contains(message, "100000 bytes")) << message;
  EXPECT_TRUE(Contains(message, "Make room")) << message;
  EXPECT_EQ(ReadFile(Path("model")), old_text);
  EXPECT_EQ(CountFiles(), 1U);
}

TEST_F(ModelFile, AFullDeviceIsReported) {
  EXPECT_TRUE(Contains(IoMessage([] { Write("/dev/full", "text"); }), "No space left"));
}

#endif

TEST_F(ModelFile, FoldersThatDoNotExistAreReported) {
  EXPECT_TRUE(Contains(IoMessage([&] { Write(Path("no/model"), "x"); }), "No such file"));
  EXPECT_TRUE(Contains(IoMessage([&] { Write(folder_.string(), "x"); }), "it is a folder"));
  EXPECT_EQ(CountFiles(), 0U);
}

#if KAURI_TEST_POSIX
TEST_F(ModelFile, PermissionsAreKept) {
  Write(Path("model"), "old");
  fs::permissions(Path("model"), static_cast<fs::perms>(0640));
  Write(Path("model"), "new");
  EXPECT_EQ(fs::status(Path("model")).permissions(), static_cast<fs::perms>(0640));
  EXPECT_EQ(ReadFile(Path("model")), "new");
  auto const mask = umask(0027);
  Write(Path("fresh"), "x");
  umask(mask);
  EXPECT_EQ(fs::status(Path("fresh")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(ModelFile, LinksAreFollowed) {
  Write(Path("real"), "old");
  fs::create_symlink("real", Path("link"));
  Write(Path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(ReadFile(Path("real")), "new");
}

TEST_F(ModelFile, DanglingLinksAreFollowed) {
  fs::create_directory(Path("folder"));
  fs::create_symlink("real", Path("link"));
  fs::create_symlink(Path("chained"), Path("folder/absolute"));
  fs::create_symlink("folder/absolute", Path("chain"));
  for (auto const& [link, target] : {std::pair{"link", "real"}, std::pair{"chain", "chained"}}) {
    RequireWritable(Path(link));
    EXPECT_FALSE(fs::exists(Path(target)));
    Write(Path(link), "new");
    EXPECT_TRUE(fs::is_symlink(Path(link)));
    EXPECT_FALSE(fs::is_symlink(Path(target)));
    EXPECT_EQ(ReadFile(Path(target)), "new");
  }
  EXPECT_EQ(CountFiles(), 5U);
}

TEST_F(ModelFile, LinksThatLeadNowhereAreRefused) {
  fs::create_symlink("b", Path("a"));
  fs::create_symlink("a", Path("b"));
  fs::create_symlink("no/such/folder", Path("c"));
  for (auto const* call : {"write", "check"}) {
    auto const message = [&](char const* name) {
      return IoMessage([&] { call[0] == 'w' ? Write(Path(name), "x") : RequireWritable(Path(name)); });
    };
    EXPECT_TRUE(Contains(message("a"), "Links lead in a circle")) << message("a");
    EXPECT_TRUE(Contains(message("c"), "No such file"));
  }
  EXPECT_TRUE(fs::is_symlink(Path("a")) && fs::is_symlink(Path("b")) && fs::is_symlink(Path("c")));
  EXPECT_EQ(CountFiles(), 3U);
}

#endif

TEST_F(ModelFile, LongNames) {
  auto const longest = Path(std::string(255, 'n'));
  RequireWritable(longest);
  Write(longest, "new");
  EXPECT_EQ(ReadFile(longest), "new");
  for (auto const& path : {Path(std::string(256, 'n')), Path(std::string(5000, 'n'))}) {
    auto const written = IoMessage([&] { Write(path, "new"); });
    EXPECT_EQ(written, IoMessage([&] { RequireWritable(path); }));
    EXPECT_TRUE(Contains(written, "Give a shorter name")) << written;
    EXPECT_LT(written.size(), 700U);
  }
  EXPECT_EQ(CountFiles(), 1U);
}

TEST_F(ModelFile, LongNamesAreCutBetweenCharacters) {
  for (std::string name : {"", "n", "nn"}) {
    auto const n_letters = name.size();
    while (name.size() < 253) name += "\xE2\x82\xAC";
    ReplacementFile const file(FindPlace(Path(name)));
    std::string whole;
    ASSERT_TRUE(IsReplacementName(fs::directory_iterator(folder_)->path().filename().string(), &whole));
    EXPECT_EQ(whole, name.substr(0, whole.size()));
    EXPECT_EQ((whole.size() - n_letters) % 3, 0U);
  }
  EXPECT_EQ(CountFiles(), 0U);
}

#if KAURI_TEST_POSIX
TEST_F(ModelFile, WhatCannotBeWrittenIsKnownBefore) {
  Write(Path("model"), "old");
  {
    SizeLimit const limit(4096);
    EXPECT_TRUE(Contains(IoMessage([&] { RequireWritable(Path("model")); }), "Make room"));
  }
  EXPECT_TRUE(Contains(IoMessage([&] { RequireWritable(Path("no/model")); }), "No such file"));
  EXPECT_TRUE(Contains(IoMessage([&] { RequireWritable(folder_.string()); }), "it is a folder"));
  EXPECT_TRUE(Contains(IoMessage([&] { RequireWritable("/proc/self/model"); }), "Check the folder"));
  EXPECT_TRUE(Contains(IoMessage([&] { RequireWritable(Path("model/below")); }), "Not a directory"));
  RequireWritable("/dev/null");
  RequireWritable(Path("model"));
  EXPECT_EQ(ReadFile(Path("model")), "old");
  EXPECT_EQ(CountFiles(), 1U);
}

TEST_F(ModelFile, WhatNeverEndsIsRefused) {
  EXPECT_TRUE(Contains(IoMessage([] {
                         ReadFile(FileToRead{"/dev/zero", "model"});
                       }),
                       "the model '/dev/zero' is larger than"));
  EXPECT_TRUE(Contains(IoMessage([] { ReadFile(FileToRead{"/dev/zero", "model", 100}); }), "larger than 100 bytes"));
  EXPECT_TRUE(Contains(IoMessage([] { ReadFile("/dev/null"); }), "it is empty"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(Contains(IoMessage([&] { ReadFile(Path("pipe")); }), "it is empty"));
  std::ofstream(Path("sparse")).close();
  fs::resize_file(Path("sparse"), std::uintmax_t{1} << 43U);
  try {
    ReadFile(Path("sparse"));
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kMemory);
  }
}

#endif

TEST_F(ModelFile, ALeftoverIsRemovedOnceItsWriterIsGone) {
  auto file = std::make_unique<ReplacementFile>(FindPlace(Path("model")));
  auto const name = file->Name();
  RemoveLeftover(name);
  EXPECT_TRUE(fs::exists(name));
  std::ofstream(Path("old.new-1-0")).close();
  RemoveLeftover(Path("old.new-1-0"));
  EXPECT_EQ(CountFiles(), 1U);
  EXPECT_EQ(file->Commit(), 0);
  EXPECT_TRUE(fs::exists(Path("model")));
}

TEST_F(ModelFile, ALeftoverOfAnotherSaveIsNoObstacle) {
  Write(Path("model.new-" + std::to_string(platform::ProcessId()) + "-0"), "left over");
  Write(Path("model"), "new");
  EXPECT_EQ(ReadFile(Path("model")), "new");
  EXPECT_EQ(CountFiles(), 2U);
}

}  // namespace
}  // namespace kauri
