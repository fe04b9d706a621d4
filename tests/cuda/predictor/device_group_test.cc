/// Rows split over devices. The splitting itself is independent of devices, so it is tested with the CPU's predictor
/// and with a predictor that records its calls.
#include "cuda/predictor/device_group.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <thread>

#include "device_group_fixture.h"
#include "kauri/objective.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using cuda::MakeDeviceGroupPredictor;

std::unique_ptr<Predictor> MakeCpuPredictor() { return GetRegistries().predictors.Find("cpu_predictor").make({}); }

TEST(DeviceGroup, BitsOfOneDevice) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const one = MakeCpuPredictor();
  auto const several = MakeDeviceGroupPredictor(MakeCpuPredictor());
  Caller const alone(*one, Context{}, model);
  std::vector<float> const of_output{0.5F, -1.0F};
  for (auto const& ordinals : {Ordinals{0}, Ordinals{1, 0}, Ordinals{0, 0, 0}, Ordinals{0, 1, 2, 3, 4, 5, 6, 7}}) {
    Caller const group(*several, On(ordinals), model);
    for (std::int64_t const n_rows : {0, 1, 127, 128, 129, 257, 1000, 40000}) {
      SCOPED_TRACE(std::to_string(ordinals.size()) + " devices, rows " + std::to_string(n_rows));
      auto const rows = RandomRows(n_rows, spec.n_features, 3);
      auto const of_row = UniformValues(static_cast<std::size_t>(2 * n_rows), -2.0F, 2.0F, 4);
      for (auto const kind : {PredictKind::kMargin, PredictKind::kLeaf, PredictKind::kContribution}) {
        if (n_rows > 1000 && kind == PredictKind::kContribution) continue;
        EXPECT_TRUE(SameFloats(group.Predict(rows, kind, {of_output, {}}), alone.Predict(rows, kind, {of_output, {}})));
        if (n_rows == 0) continue;
        EXPECT_TRUE(SameFloats(group.Predict(rows, kind, {{}, of_row}), alone.Predict(rows, kind, {{}, of_row})));
      }
    }
  }
}

TEST(DeviceGroup, SparseAndInterventional) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const one = MakeCpuPredictor();
  auto const several = MakeDeviceGroupPredictor(MakeCpuPredictor());
  Caller const alone(*one, Context{}, model);
  Caller const group(*several, On({0, 1, 2}), model);
  auto const background = RandomRows(20, spec.n_features, 5);
  for (std::int64_t const n_rows : {1, 300}) {
    auto const rows = RandomRows(n_rows, spec.n_features, 6);
    auto const of_row = UniformValues(static_cast<std::size_t>(2 * n_rows), -2.0F, 2.0F, 7);
    for (std::int64_t const top_k : {0, 3}) {
      auto const parts = group.Sparse(rows, {{}, of_row}, top_k);
      auto const whole = alone.Sparse(rows, {{}, of_row}, top_k);
      EXPECT_EQ(parts.begin, whole.begin);
      EXPECT_EQ(parts.first, whole.first);
      EXPECT_EQ(parts.second, whole.second);
      EXPECT_TRUE(SameFloats(parts.values, whole.values));
    }
    EXPECT_TRUE(SameFloats(group.Interventional(rows, background, {{}, of_row}),
                           alone.Interventional(rows, background, {{}, of_row})));
  }
}

TEST(DeviceGroup, InteractionsOfSets) {
  ForestSpec spec;
  spec.n_classes = 2;
  auto const model = RandomModel(spec);
  auto const one = MakeCpuPredictor();
  auto const several = MakeDeviceGroupPredictor(MakeCpuPredictor());
  EXPECT_TRUE(several->ComputesSets());
  Caller const alone(*one, Context{}, model);
  Caller const group(*several, On({0, 1, 2}), model);
  for (std::int64_t const n_rows : {0, 1, 300}) {
    auto const rows = RandomRows(n_rows, spec.n_features, 8);
    auto const of_row = UniformValues(static_cast<std::size_t>(2 * n_rows), -2.0F, 2.0F, 9);
    for (std::int64_t const top_k : {0, 3}) {
      auto const parts = group.Sets(rows, {{}, of_row}, {InteractionIndex::kKSii, 3, top_k});
      auto const whole = alone.Sets(rows, {{}, of_row}, {InteractionIndex::kKSii, 3, top_k});
      EXPECT_EQ(parts.set_begin, whole.set_begin);
      EXPECT_EQ(parts.members, whole.members);
      EXPECT_EQ(parts.begin, whole.begin);
      EXPECT_EQ(parts.sets, whole.sets);
      EXPECT_TRUE(SameFloats(parts.values, whole.values));
      EXPECT_TRUE(SameFloats(parts.base_values, whole.base_values));
    }
  }
}

/// The output may be the memory that holds the starting margins.
TEST(DeviceGroup, MarginsInPlace) {
  auto const model = RandomModel({});
  auto const several = MakeDeviceGroupPredictor(MakeCpuPredictor());
  auto const ctx = On({0, 1, 2});
  auto const rows = RandomRows(50001, 6, 8);
  auto const start = UniformValues(50001, -1.0F, 1.0F, 9);
  auto out = start;
  auto const compiled = several->Compile(ctx, model, AllTrees(model));
  several->Predict(ctx, *compiled, {rows, AllTrees(model), {{}, out}}, PredictKind::kMargin, out);
  EXPECT_TRUE(SameFloats(out, NaiveMargins(model, rows, AllTrees(model), start)));
}

/// Records each call, and fails on a device if requested. The value of a row is its first feature.
class NotingPredictor : public Predictor {
 public:
  struct Note {
    int ordinal;
    int threads;
    std::int64_t n_rows;
    float first;
    bool operator<(Note const& other) const { return first < other.first; }
  };
  struct Log {
    std::mutex mutex;
    std::vector<int> compiled;
    std::vector<Note> notes;
    int failing = -1;
    ErrorKind kind = ErrorKind::kDevice;
  };
  explicit NotingPredictor(Log* log) : log_(log) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const&, TreeRange) const override {
    std::lock_guard<std::mutex> const lock(log_->mutex);
    log_->compiled.push_back(ctx.device.ordinal);
    EXPECT_TRUE(ctx.device.ordinals.empty());
    FailIfTold(ctx);
    return std::make_shared<CompiledModel const>();
  }
  void Predict(Context const& ctx, CompiledModel const&, PredictTask const& task, PredictKind,
               Span<float> out) const override {
    auto const& rows = task.rows;
    std::lock_guard<std::mutex> const lock(log_->mutex);
    FailIfTold(ctx);
    rows.CopyRows(0, rows.NumRows(), 1, out.data());
    log_->notes.push_back({ctx.device.ordinal, ctx.threads, rows.NumRows(), out.empty() ? -1.0F : out[0]});
  }
  std::unique_ptr<DeviceFloats> PredictOnDevice(Context const& ctx, CompiledModel const&,
                                                DevicePredictTask const& task) const override {
    log_->notes.push_back({ctx.device.ordinal, ctx.threads, task.rows.Layout().n_rows, 0.0F});
    return nullptr;
  }

 private:
  void FailIfTold(Context const& ctx) const {
    if (ctx.device.ordinal == log_->failing) Fail(log_->kind, "it was told to fail.");
  }

  Log* log_;
};

class NotesTest : public ::testing::Test {
 protected:
  /// Returns rows 0, 1, 2, ... for a prediction of one number each.
  static MemoryView Numbers(std::int64_t n_rows) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < n_rows; ++row) values.push_back(static_cast<float>(row));
    return {std::move(values), 1};
  }
  /// Returns the calls that a prediction caused, by their rows.
  std::vector<NotingPredictor::Note> Notes(Context const& ctx, DataView const& rows, PredictKind kind) {
    log_.notes.clear();
    auto const compiled = group_->Compile(ctx, model_, {0, 0});
    std::vector<float> out(rows.NumRows());
    group_->Predict(ctx, *compiled, {rows, {0, 0}, {}}, kind, out);
    for (std::size_t row = 0; row < out.size(); ++row) EXPECT_EQ(out[row], static_cast<float>(row));
    std::sort(log_.notes.begin(), log_.notes.end());
    return log_.notes;
  }

  NotingPredictor::Log log_;
  std::unique_ptr<Predictor> group_ = MakeDeviceGroupPredictor(std::make_unique<NotingPredictor>(&log_));
  Model const model_;
};

TEST_F(NotesTest, PartsOfTheSameSizeAndThreadsShared) {
  auto const notes = Notes(On({2, 0, 1}, 11), Numbers(1000), PredictKind::kContribution);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[0].ordinal, 2);
  EXPECT_EQ(notes[1].ordinal, 0);
  EXPECT_EQ(notes[2].ordinal, 1);
  EXPECT_EQ(notes[0].n_rows, 384);
  EXPECT_EQ(notes[1].n_rows, 384);
  EXPECT_EQ(notes[2].n_rows, 232);
  EXPECT_EQ(notes[0].threads, 4);
  EXPECT_EQ(notes[1].threads, 4);
  EXPECT_EQ(notes[2].threads, 3);
  std::sort(log_.compiled.begin(), log_.compiled.end());
  EXPECT_EQ(log_.compiled, (std::vector<int>{0, 1, 2}));
  for (auto const& note : Notes(On({0, 1, 2}, 1), Numbers(1000), PredictKind::kContribution)) {
    EXPECT_EQ(note.threads, 1);
  }
}

TEST_F(NotesTest, FewRowsMakeFewParts) {
  auto const n_parts = [&](std::int64_t n_rows, PredictKind kind) {
    return Notes(On({0, 1, 2, 3}), Numbers(n_rows), kind).size();
  };
  EXPECT_EQ(n_parts(0, PredictKind::kInteraction), 1U);
  EXPECT_EQ(n_parts(128, PredictKind::kInteraction), 1U);
  EXPECT_EQ(n_parts(129, PredictKind::kInteraction), 2U);
  EXPECT_EQ(n_parts(385, PredictKind::kContribution), 4U);
  EXPECT_EQ(n_parts(16384, PredictKind::kMargin), 1U);
  EXPECT_EQ(n_parts(16385, PredictKind::kLeaf), 2U);
  EXPECT_EQ(n_parts(1000000, PredictKind::kMargin), 4U);
  auto const alone = Notes(On({3, 1}, 9), Numbers(5), PredictKind::kContribution);
  EXPECT_EQ(alone[0].ordinal, 3);
  EXPECT_EQ(alone[0].threads, 9);
}

TEST_F(NotesTest, OneDeviceIsLeftAlone) {
  auto const notes = Notes(On({1}, 5), Numbers(100000), PredictKind::kMargin);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].ordinal, 1);
  EXPECT_EQ(notes[0].threads, 5);
}

TEST_F(NotesTest, ErrorsNameTheDeviceOnce) {
  auto const message = [&](int failing, ErrorKind kind) {
    auto const compiled = group_->Compile(On({0, 1, 2}), model_, {0, 0});
    log_.failing = failing;
    log_.kind = kind;
    std::vector<float> out(1000);
    auto const text = MessageOf(kind, [&] {
      group_->Predict(On({0, 1, 2}), *compiled, {Numbers(1000), {0, 0}, {}}, PredictKind::kContribution, out);
    });
    log_.failing = -1;
    EXPECT_EQ(Notes(On({0, 1, 2}), Numbers(1000), PredictKind::kContribution).size(), 3U) << "works again";
    return text;
  };
  EXPECT_EQ(message(1, ErrorKind::kDevice), "on cuda:1: it was told to fail.");
  EXPECT_EQ(message(2, ErrorKind::kMemory), "on cuda:2: it was told to fail.");
  EXPECT_EQ(message(2, ErrorKind::kData), "it was told to fail.");
  log_.failing = 2;
  log_.kind = ErrorKind::kMemory;
  EXPECT_EQ(MessageOf(ErrorKind::kMemory,
                      [&] {
                        group_->Compile(On({0, 2}), model_, {0, 0});
                      }),
            "on cuda:2: it was told to fail.");
}

/// Rows in device memory that belong to another owner.
class BorrowedRows : public DeviceStorage {
 public:
  BorrowedRows(DeviceLayout const& layout, std::vector<float> host) : DeviceStorage(layout), host_(std::move(host)) {}

 private:
  FloatVector CopyToHost() const override { return {host_.begin(), host_.end()}; }

  std::vector<float> host_;
};

TEST_F(NotesTest, RowsInDeviceMemoryStayThere) {
  std::vector<float> values(1000);
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = static_cast<float>(row);
  auto const objective = GetRegistries().objectives.Find("reg:squarederror").make({});
  for (auto const& [device, expected] : {std::pair{0, 0}, std::pair{2, 2}, std::pair{5, 1}}) {
    DeviceLayout layout;
    layout.device = device;
    layout.n_rows = 1000;
    layout.n_cols = 1;
    layout.row_stride = 1;
    BorrowedRows const storage(layout, values);
    auto const ctx = On({1, 0, 2}, 8);
    auto const notes = Notes(ctx, *MakeDeviceView(storage), PredictKind::kContribution);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].ordinal, expected);
    EXPECT_EQ(notes[0].threads, 8);
    auto const compiled = group_->Compile(ctx, model_, {0, 0});
    group_->PredictOnDevice(ctx, *compiled, {storage, PredictKind::kMargin, {0, 0}, {}, *objective});
    EXPECT_EQ(log_.notes.back().ordinal, expected);
  }
}

TEST(DeviceGroup, ManyThreadsCall) {
  auto const model = RandomModel({});
  auto const several = MakeDeviceGroupPredictor(MakeCpuPredictor());
  Caller const group(*several, On({0, 1, 2}), model);
  std::vector<float> const start{0.25F};
  auto const rows = RandomRows(700, 6, 10);
  auto const expected = group.Predict(rows, PredictKind::kContribution, {start, {}});
  std::vector<std::thread> threads;
  std::vector<int> same(6);
  for (auto& ok : same) {
    threads.emplace_back([&] {
      for (int call = 0; call < 20; ++call) {
        ok += SameFloats(group.Predict(rows, PredictKind::kContribution, {start, {}}), expected) ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(6, 20));
}

}  // namespace
}  // namespace kauri::testing
