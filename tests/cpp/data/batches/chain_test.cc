/// Concatenated tables: rows compared with the parts, fields, and disagreements.
#include "data/batches/chain.h"

#include <cmath>
#include <utility>

#include "data/data_test_support.h"

namespace kauri {
namespace {

using Matrices = std::vector<std::unique_ptr<DataMatrix>>;

/// Returns [n_rows, 4]: value (first_row + row) + 100 * col if col < n_present, else missing; one more target than
/// required.
std::unique_ptr<DataMatrix> MakePart(std::int64_t first_row, std::int64_t n_rows, std::int64_t n_present) {
  CsrStorage csr;
  csr.row_ptr.push_back(0);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::int64_t col = 0; col < n_present; ++col) {
      csr.features.push_back(static_cast<std::uint32_t>(col));
      csr.values.push_back(static_cast<float>(first_row + row + 100 * col));
    }
    csr.row_ptr.push_back(static_cast<std::int64_t>(csr.features.size()));
  }
  auto part = DataMatrix::FromCsr(std::move(csr), 4);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    part->MutableInfo()->labels.push_back(static_cast<float>(first_row + row));
  }
  return part;
}

TEST(Concatenate, DenseSparseAndMixed) {
  for (auto const& present : std::vector<std::vector<std::int64_t>>{{4, 3, 4}, {1, 1, 1}, {4, 1, 1}, {1, 4, 4}}) {
    Matrices parts;
    std::vector<float> expected;
    std::vector<float> labels;
    std::int64_t first_row = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      parts.push_back(MakePart(first_row, 700, present[i]));
      auto const rows = RowsOf(*parts.back());
      expected.insert(expected.end(), rows.begin(), rows.end());
      for (int row = 0; row < 700; ++row) labels.push_back(static_cast<float>(first_row + row));
      first_row += 700;
      parts.push_back(MakePart(0, 0, 4));
    }
    auto const all = Concatenate(WithThreads(3), std::move(parts));
    ExpectSame(RowsOf(*all), expected);
    ExpectSame(all->Info().labels, labels);
    EXPECT_EQ(all->Info().n_rows, 2100);
    EXPECT_EQ(all->IsDense(), present[1] != 1 || present[0] == 4 ? all->NumEntries() * 2 >= 2100 * 4 : false);
  }
}

TEST(Concatenate, OnePartIsNotCopied) {
  Matrices parts;
  parts.push_back(MakePart(0, 5, 4));
  auto const* part = parts[0].get();
  EXPECT_EQ(Concatenate(WithThreads(1), std::move(parts)).get(), part);
}

void FillInfo(MetaInfo* info) {
  auto const first = info->labels.front();
  info->n_targets = 2;
  info->labels = {first, 1, first, 2};
  info->weights = {first + 0.5F};
  info->group_ptr = {0, 2};
  info->base_margin = {first, 1, 2, first, 3, 4};
  info->label_lower_bound = {first, first};
  info->label_upper_bound = {kInf, kInf};
  info->feature_weights = {1, 2, 3, 4};
  info->feature_names = {"a", "b", "c", "d"};
  info->feature_types = {"q", "q", "q", "i"};
}

Matrices TwoParts() {
  Matrices parts;
  for (std::int64_t first : {10, 20}) {
    parts.push_back(MakePart(first, 2, 4));
    FillInfo(parts.back()->MutableInfo());
  }
  return parts;
}

TEST(Concatenate, AllFields) {
  auto const all = Concatenate(WithThreads(1), TwoParts());
  auto const& info = all->Info();
  EXPECT_EQ(info.n_targets, 2);
  ExpectSame(info.labels, {10, 1, 10, 2, 20, 1, 20, 2});
  ExpectSame(info.weights, {10.5F, 20.5F});
  EXPECT_EQ(info.group_ptr, (std::vector<std::int64_t>{0, 2, 4}));
  ExpectSame(info.base_margin, {10, 1, 2, 10, 3, 4, 20, 1, 2, 20, 3, 4});
  ExpectSame(info.label_lower_bound, {10, 10, 20, 20});
  ExpectSame(info.label_upper_bound, {kInf, kInf, kInf, kInf});
  ExpectSame(info.feature_weights, {1, 2, 3, 4});
  EXPECT_EQ(info.feature_names, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(info.feature_types, (std::vector<std::string>{"q", "q", "q", "i"}));
}

TEST(Concatenate, Refusals) {
  auto const refusal = [](std::function<void(MetaInfo*)> const& spoil) {
    auto parts = TwoParts();
    spoil(parts[1]->MutableInfo());
    return MessageOf([&] { Concatenate(WithThreads(1), std::move(parts)); });
  };
  ExpectParts(refusal([](MetaInfo* info) { info->labels.clear(); }), {"label", "batch 1"});
  ExpectParts(refusal([](MetaInfo* info) { info->weights.clear(); }), {"weight", "batch"});
  ExpectParts(refusal([](MetaInfo* info) { info->weights = {1, 2}; }), {"weight", "batch"});
  ExpectParts(refusal([](MetaInfo* info) { info->group_ptr.clear(); }), {"batch 1"});
  ExpectParts(refusal([](MetaInfo* info) { info->base_margin = {1, 2}; }), {"base_margin", "batch 1"});
  ExpectParts(refusal([](MetaInfo* info) { info->feature_names[0] = "z"; }), {"feature_name", "batch 1"});
  EXPECT_EQ(refusal([](MetaInfo* info) { info->feature_names.clear(); }), "no error");
  ExpectParts(MessageOf([] { Concatenate(WithThreads(1), {}); }), {"no batch"});
  auto narrow = TwoParts();
  narrow.push_back(DataMatrix::FromDense({{1, 2}}, 1, 2));
  ExpectParts(MessageOf([&] { Concatenate(WithThreads(1), std::move(narrow)); }), {"batch 2 has 2 columns", "has 4"});
}

}  // namespace
}  // namespace kauri
