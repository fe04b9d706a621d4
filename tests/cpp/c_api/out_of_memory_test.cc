/// Out of memory: from whichever allocation on, the call fails and the process survives.
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "c_api/failure_scene.h"
#include "support/need.h"

namespace {

/// The remaining allocations of this thread, and the number made.
thread_local std::size_t t_pieces_taken = 0;
thread_local std::size_t t_pieces_left = std::numeric_limits<std::size_t>::max();

/// Counts an allocation; returns whether it is allowed.
bool CountPiece() {
  ++t_pieces_taken;
  if (t_pieces_left == 0) return false;
  if (t_pieces_left != std::numeric_limits<std::size_t>::max()) --t_pieces_left;
  return true;
}

void* TakeOrNull(std::size_t size) { return CountPiece() ? std::malloc(size == 0 ? 1 : size) : nullptr; }

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* Take(std::size_t size) { return OrThrow(TakeOrNull(size)); }

void* TakeAligned(std::size_t size, std::align_val_t alignment) {
  auto const unit = static_cast<std::size_t>(alignment);
  return OrThrow(CountPiece() ? std::aligned_alloc(unit, (size + unit - 1) / unit * unit) : nullptr);
}

}  // namespace

// Replaces all operators that the library may use: memory of a sanitizer's operator new would not fit these delete.
void* operator new(std::size_t size) { return Take(size); }
void* operator new[](std::size_t size) { return Take(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return TakeOrNull(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return TakeOrNull(size); }
void* operator new(std::size_t size, std::align_val_t unit) { return TakeAligned(size, unit); }
void* operator new[](std::size_t size, std::align_val_t unit) { return TakeAligned(size, unit); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace kauri::testing {
namespace {

/// Makes the call with 0, 1, 2, .. allocations until it succeeds; when there are many, with every fiftieth part more.
void ExpectFailures(char const* name, std::function<int()> const& call) {
  constexpr std::size_t kMostPieces = 1000000;
  SCOPED_TRACE(name);
  for (std::size_t n_pieces = 0; n_pieces < kMostPieces; n_pieces += 1 + n_pieces / 50) {
    t_pieces_left = n_pieces;
    auto const status = call();
    auto const left = t_pieces_left;
    t_pieces_left = std::numeric_limits<std::size_t>::max();
    if (status == 0) return;
    ASSERT_EQ(status, -1);
    ASSERT_EQ(left, 0U) << XGBGetLastError();
    ASSERT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_MEMORY) << XGBGetLastError();
  }
  FAIL() << "it never had enough memory";
}

/// Makes a matrix and frees it.
std::function<int()> Made(std::function<int(DMatrixHandle*)> const& make) {
  return [=] {
    DMatrixHandle out = nullptr;
    auto const status = make(&out);
    if (status == 0) XGDMatrixFree(out);
    return status;
  };
}

class OutOfMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    char const* text = nullptr;
    auto const before = t_pieces_taken;
    ASSERT_OK(XGBuildInfo(&text));
    KAURI_NEED(t_pieces_taken != before, "the linker did not give the library the operator new of this test");
  }
};

TEST_F(OutOfMemory, DocumentsOfData) {
  auto const values = Features(40, 3);
  auto const table = Table(values, 3);
  auto const column = Interface(values, "<f4", "[40]");
  auto const columns = "[" + column + ", " + column + "]";
  std::string const config = R"({"missing": NaN, "nthread": 1, "of": [{"no": ["account", {"at": ["all"]}]}]})";
  ExpectFailures(
      "dense", Made([&](DMatrixHandle* out) { return XGDMatrixCreateFromDense(table.c_str(), config.c_str(), out); }));
  ExpectFailures("columns", Made([&](DMatrixHandle* out) {
                   return XGDMatrixCreateFromColumnar(columns.c_str(), config.c_str(), out);
                 }));
}

TEST_F(OutOfMemory, FieldsOfData) {
  auto const data = MakeData(Features(40, 3), 3);
  auto const values = Features(40, 1);
  auto const labels = Vector(values);
  ExpectFailures("set", [&] { return XGDMatrixSetInfoFromInterface(data.get(), "label", labels.c_str()); });
  char const* text = nullptr;
  ExpectFailures("get", [&] { return XGDMatrixGetInfoRef(data.get(), "label", &text); });
  char const* indptr = nullptr;
  ExpectFailures("cuts", [&] { return XGDMatrixGetQuantileCut(data.get(), R"({"max_bin": 4})", &indptr, &text); });
}

TEST_F(OutOfMemory, DocumentsOfBoosters) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"nthread", "1"}, {"max_depth", "2"}, {"eval_metric", "rmse"}}, 2);
  auto const model = ModelText(booster);
  ASSERT_OK(XGBoosterLoadModelFromBuffer(booster.get(), model.data(), model.size()));  // the model names parameters
  auto const snapshot = SnapshotBytes(booster);
  auto const config = ConfigText(booster);
  ExpectFailures("load config", [&] { return XGBoosterLoadJsonConfig(booster.get(), config.c_str()); });
  ExpectFailures("load model", [&] { return XGBoosterLoadModelFromBuffer(booster.get(), model.data(), model.size()); });
  ExpectFailures("load snapshot",
                 [&] { return XGBoosterUnserializeFromBuffer(booster.get(), snapshot.data(), snapshot.size()); });
  bst_ulong length = 0;
  char const* text = nullptr;
  ExpectFailures("save config", [&] { return XGBoosterSaveJsonConfig(booster.get(), &length, &text); });
  ExpectFailures("save snapshot", [&] { return XGBoosterSerializeToBuffer(booster.get(), &length, &text); });
  EXPECT_EQ(ModelText(booster), model);
  EXPECT_EQ(ConfigText(booster), config);
}

TEST_F(OutOfMemory, Predictions) {
  Problem const problem;
  auto const booster = Train(problem.data, {{"nthread", "1"}, {"max_depth", "2"}}, 2);
  auto const config = PredictConfig(0);
  auto const table = Table(problem.values, 4);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  ExpectFailures("in place", [&] {
    return XGBoosterPredictFromDense(booster.get(), table.c_str(), config.c_str(), nullptr, &shape, &dim, &values);
  });
}

/// A failed round also leaves the booster unchanged.
TEST_F(OutOfMemory, Rounds) {
  auto const scenes = AllScenes();
  for (auto const& maker : scenes) {
    if (std::string(maker.name) != "classes" && std::string(maker.name) != "dart") continue;
    auto const scene = maker.make();
    auto const before = ModelText(scene.booster);
    for (auto const n_pieces : {std::size_t{1}, std::size_t{20}, std::size_t{80}, std::size_t{200}}) {
      t_pieces_left = n_pieces;
      auto const status = scene.Continue();
      t_pieces_left = std::numeric_limits<std::size_t>::max();
      EXPECT_NE(status, 0) << maker.name << " with " << n_pieces;
      EXPECT_EQ(ModelText(scene.booster), before) << maker.name << " with " << n_pieces;
    }
    EXPECT_OK(scene.Continue());
    auto const other = maker.never_failed();
    EXPECT_OK(other.Continue());
    EXPECT_EQ(ModelText(scene.booster), ModelText(other.booster)) << maker.name;
  }
}

TEST_F(OutOfMemory, DocumentsOfTheLibrary) {
  char const* text = nullptr;
  ExpectFailures("parameters", [&] { return KauriGetParameters(&text); });
  ExpectFailures("global", [&] { return XGBGetGlobalConfig(&text); });
}

}  // namespace
}  // namespace kauri::testing
