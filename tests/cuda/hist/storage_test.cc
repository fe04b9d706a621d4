/// Rows in every host storage: sparse, one-hot (which the CPU bundles) and kept as bins.
#include "data/bins/bin_store_maker.h"
#include "hist/hist_fixture.h"
#include "support/row_batches.h"

namespace kauri::testing {
namespace {

HistCase Stored(char const* name, Values values, std::int64_t n_cols, bool sparse) {
  HistCase given;
  given.name = name;
  given.table.n_rows = 2000;
  given.table.n_cols = n_cols;
  given.table.values = values;
  given.table.sparse = sparse;
  return given;
}

class HistStorage : public HistDeviceTest {
 protected:
  /// Runs the case unchanged, by gain, with sampling, deep and with classes.
  static void ExpectSameInVariants(HistCase const& given) {
    std::vector<Params> const variants{{},
                                       {{"grow_policy", "lossguide"}, {"max_leaves", "25"}},
                                       {{"subsample", "0.5"}, {"colsample_bynode", "0.5"}},
                                       {{"max_depth", "12"}, {"min_child_weight", "0"}, {"max_bin", "16"}},
                                       {{"max_bin", "1024"}},
                                       {{"objective", "multi:softprob"}, {"num_class", "3"}}};
    for (auto const& params : variants) {
      auto with = given;
      with.params = With(given.params, params);
      ExpectSameTrees({with});
    }
  }
};

TEST_F(HistStorage, SparseNumbers) {
  for (auto const missing : {Missing::kSome, Missing::kMixed}) {
    for (std::int64_t const n_cols : {7, 33, 120}) {
      auto given = Stored("sparse numbers", Values::kNormal, n_cols, true);
      given.table.missing = missing;
      ExpectSameInVariants(given);
    }
  }
}

TEST_F(HistStorage, SparseOneHot) {
  for (std::int64_t const n_cols : {10, 30, 300}) {
    ExpectSameInVariants(Stored("sparse one-hot", Values::kOneHot, n_cols, true));
  }
}

TEST_F(HistStorage, DenseOneHot) {
  for (std::int64_t const n_cols : {10, 30, 300}) {
    ExpectSameInVariants(Stored("dense one-hot", Values::kOneHot, n_cols, false));
  }
}

/// Columns that are mostly one value share codes with others.
TEST_F(HistStorage, Flags) {
  for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
    for (std::int64_t const n_cols : {8, 40, 150}) {
      auto given = Stored("flags", Values::kFlags, n_cols, false);
      given.table.missing = missing;
      ExpectSameInVariants(given);
    }
  }
}

/// Empty rows, columns without values, and a single entry in all.
TEST_F(HistStorage, FewEntries) {
  for (std::size_t const n_entries : {std::size_t{0}, std::size_t{1}, std::size_t{40}}) {
    std::vector<Outcome> outcomes;
    for (auto const* device : {"cpu", kDevice}) {
      CsrStorage csr;
      csr.row_ptr.push_back(0);
      for (std::size_t row = 0; row < 500; ++row) {
        if (row % 12 == 5 && csr.values.size() < n_entries) {
          csr.features.push_back(static_cast<std::uint32_t>(row % 7) * 10);
          csr.values.push_back(static_cast<float>(row % 5));
        }
        csr.row_ptr.push_back(static_cast<std::int64_t>(csr.values.size()));
      }
      std::shared_ptr<DataMatrix> const data = DataMatrix::FromCsr(std::move(csr), 100);
      for (std::size_t row = 0; row < 500; ++row) data->MutableInfo()->labels.push_back(row % 12 == 5 ? 3.0F : 0.0F);
      outcomes.push_back(TrainOn(device, HistCase{}, data));
    }
    EXPECT_EQ(outcomes[0].error, "");
    EXPECT_TRUE(SameOutcome(outcomes[0], outcomes[1])) << n_entries;
  }
}

/// Returns a matrix that keeps bins, made of the rows of a table.
std::shared_ptr<DataMatrix> MakeBinned(HistCase const& given, int max_bin) {
  auto const data = MakeTable(given.table, KindOf(given));
  RowBatches batches(*data, 700);
  BinStoreOptions options;
  options.max_bin = max_bin;
  return MakeBinnedMatrix(Context{}, &batches, options);
}

TEST_F(HistStorage, Bins) {
  std::vector<HistCase> cases{Stored("dense", Values::kNormal, 9, false), Stored("wide", Values::kNormal, 70, false),
                              Stored("sparse", Values::kNormal, 40, true), Stored("flags", Values::kFlags, 40, false),
                              Stored("one-hot", Values::kOneHot, 300, true)};
  cases[2].table.missing = Missing::kMixed;
  for (auto const& base : cases) {
    for (int const max_bin : {16, 256, 1024}) {
      auto given = base;
      given.table.weights = true;
      given.params = {{"max_bin", std::to_string(max_bin)}};
      auto const cpu = TrainOn("cpu", given, MakeBinned(given, max_bin));
      EXPECT_EQ(cpu.error, "") << Text(given);
      EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, MakeBinned(given, max_bin)))) << Text(given);
    }
  }
}

/// A max_bin that differs from the number of bins is refused with the same message.
TEST_F(HistStorage, BinsOfAnotherNumber) {
  auto given = Stored("dense", Values::kNormal, 9, false);
  given.params = {{"max_bin", "64"}};
  auto const cpu = TrainOn("cpu", given, MakeBinned(given, 256));
  EXPECT_NE(cpu.error, "");
  EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, MakeBinned(given, 256))));
}

/// Data that one side has kept with a matrix work for the other.
TEST_F(HistStorage, OneMatrixForBoth) {
  for (bool const device_first : {false, true}) {
    auto const given = Stored("shared", Values::kNormal, 20, false);
    auto const data = MakeTable(given.table, KindOf(given));
    auto const first = TrainOn(device_first ? kDevice : "cpu", given, data);
    EXPECT_EQ(first.error, "");
    EXPECT_TRUE(SameOutcome(first, TrainOn(device_first ? "cpu" : kDevice, given, data)));
    EXPECT_TRUE(SameOutcome(first, TrainOn(device_first ? kDevice : "cpu", given, data)));
  }
}

}  // namespace
}  // namespace kauri::testing
