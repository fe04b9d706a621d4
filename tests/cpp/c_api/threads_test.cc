/// Calls that only read a booster may run concurrently.
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

using Reader = std::function<std::string(BoosterHandle)>;

std::string Failure() { return std::string("failed: ") + XGBGetLastError(); }

std::string Model(BoosterHandle booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  auto const status = XGBoosterSaveModelToBuffer(booster, R"({"format": "json"})", &length, &bytes);
  return status == 0 ? std::string(bytes, length) : Failure();
}

std::string Snapshot(BoosterHandle booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  return XGBoosterSerializeToBuffer(booster, &length, &bytes) == 0 ? std::string(bytes, length) : Failure();
}

std::string Config(BoosterHandle booster) {
  bst_ulong length = 0;
  char const* text = nullptr;
  return XGBoosterSaveJsonConfig(booster, &length, &text) == 0 ? std::string(text, length) : Failure();
}

std::string Categories(BoosterHandle booster) {
  CategoriesHandle categories = nullptr;
  if (XGBoosterGetCategories(booster, "{}", &categories) != 0) return Failure();
  return categories == nullptr ? "none" : "some";
}

std::string ExportedCategories(BoosterHandle booster) {
  CategoriesHandle categories = nullptr;
  char const* text = nullptr;
  if (XGBoosterGetCategoriesExportToArrow(booster, "{}", &categories, &text) != 0) return Failure();
  return text == nullptr ? "none" : text;
}

std::string Sliced(BoosterHandle booster) {
  BoosterHandle slice = nullptr;
  if (XGBoosterSlice(booster, 0, 2, 1, &slice) != 0) return Failure();
  Booster const owner(slice);
  return Model(slice);
}

std::string Dumped(BoosterHandle booster) {
  bst_ulong count = 0;
  char const** trees = nullptr;
  if (XGBoosterDumpModelEx(booster, "", 1, "json", &count, &trees) != 0) return Failure();
  std::string all;
  for (bst_ulong tree = 0; tree < count; ++tree) all += trees[tree];
  return all;
}

std::string Features(BoosterHandle booster) {
  bst_ulong count = 0;
  return XGBoosterGetNumFeature(booster, &count) == 0 ? std::to_string(count) : Failure();
}

TEST(BoosterThreads, ReadersDoNotDisturbEachOther) {
  Problem const problem;
  auto const booster =
      Train(problem.data, {{"objective", "reg:pseudohubererror"}, {"huber_slope", "1.5"}, {"nthread", "1"}}, 3);
  std::vector<Reader> const readers{Categories, Model, Sliced, Snapshot, ExportedCategories, Config, Dumped, Features};
  std::vector<std::string> expected;
  for (auto const& read : readers) expected.push_back(read(booster.get()));
  std::vector<int> differences(readers.size(), 0);
  for (int repeat = 0; repeat < 4; ++repeat) {
    ASSERT_OK(XGBoosterSetParam(booster.get(), "huber_slope", "1.5"));  // the threads will resolve the parameters
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < readers.size(); ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 100; ++i) {  // two threads per reader, then the next pairs
          auto const which = (t / 2 + i / 10) % readers.size();
          if (readers[which](booster.get()) != expected[which]) ++differences[t];
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(differences, std::vector<int>(readers.size(), 0));
}

/// Short calls overlap more often.
TEST(BoosterThreads, ShortReadersDoNotDisturbEachOther) {
  Problem const problem;
  auto const booster =
      Train(problem.data, {{"objective", "reg:pseudohubererror"}, {"huber_slope", "1.5"}, {"nthread", "1"}}, 1);
  std::vector<int> differences(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < differences.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60000; ++i) {
        if (Categories(booster.get()) != "none" || Features(booster.get()) != "4") ++differences[t];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(differences, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace kauri::testing
