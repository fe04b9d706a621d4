#include "cuda/hist/bins/device_bins.h"

#include <algorithm>
#include <utility>

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kByteCodes = 256;
constexpr std::uint32_t kGroupColumns = 32;
constexpr std::uint64_t kGroupAlignment = 256;

/// Returns the narrowest width that holds n_columns columns.
std::uint32_t WidthFor(std::uint32_t n_columns) {
  std::uint32_t width = 4;
  while (width < n_columns) width *= 2;
  return width;
}

std::uint32_t MostCodes(std::vector<SumColumn> const& columns, std::size_t first, std::size_t n) {
  std::uint32_t most = 0;
  for (auto column = first; column < first + n; ++column) most = std::max(most, columns[column].n_codes);
  return most;
}

void PlaceGroups(DeviceBins* bins) {
  auto const n_columns = static_cast<std::uint32_t>(bins->columns.size());
  for (std::uint32_t first = 0; first < n_columns; first += kGroupColumns) {
    auto const n = std::min(kGroupColumns, n_columns - first);
    bins->groups.push_back({first, n, WidthFor(n), MostCodes(bins->columns, first, n), 0});
  }
  PlaceGroupsInBytes(bins);
}

/// Places features that have columns of their own.
void PlaceFeatures(std::vector<std::uint32_t> const& n_codes, DeviceBins* bins) {
  auto const is_sparse = bins->form == CodeForm::kCells;
  auto const& cuts = *bins->cuts;
  for (std::uint32_t f = 0; f < n_codes.size(); ++f) {
    bins->features.push_back({f, 0, cuts.NumBins(f), n_codes[f], kNoMostFrequent, bins->n_cells, cuts.feature_begin[f],
                              is_sparse || n_codes[f] > cuts.NumBins(f) ? 1U : 0U});
    bins->columns.push_back({bins->n_cells, n_codes[f]});
    bins->n_cells += n_codes[f];
  }
}

/// Places bundles. They have the cells of the host, including spare ones.
void PlaceBundles(BinMatrix const& from, DeviceBins* bins) {
  auto const& bundled = from.Bundled();
  auto const& cell_begin = from.FeatureBegin();
  auto const& cuts = *bins->cuts;
  for (std::uint32_t b = 0; b < bundled.bundles.size(); ++b) {
    auto const& bundle = bundled.bundles[b];
    auto const end = b + 1 < bundled.bundles.size() ? bundled.bundles[b + 1].first_cell : from.NumCells();
    bins->columns.push_back({bundle.first_cell, end - bundle.first_cell});
    for (auto f = bundle.first; f < bundle.last; ++f) {
      auto const first_code = cell_begin[f] - bundle.first_cell;
      auto const most_frequent =
          bundle.IsSingle() || bundled.most_frequent.empty() ? kNoMostFrequent : bundled.most_frequent[f];
      auto const n_codes = cuts.NumBins(f) + (from.MissingCode(f) == kNoCode ? 0 : 1);
      bins->features.push_back({b, first_code, cuts.NumBins(f), n_codes, most_frequent, cell_begin[f],
                                cuts.feature_begin[f], !from.IsDense() || n_codes > cuts.NumBins(f) ? 1U : 0U});
    }
  }
  bins->n_cells = from.NumCells();
}

/// Sets where the sums of codes are in a histogram.
void PlaceSums(DeviceBins* bins) {
  for (auto& column : bins->columns) column.first_sum = column.first_cell;
  bins->n_sums = bins->n_cells;
  if (bins->form == CodeForm::kBytes) {
    bins->n_sums = 0;
    for (auto& group : bins->groups) {
      group.first_sum = bins->n_sums;
      for (std::uint32_t i = 0; i < group.n_columns; ++i) {
        auto& column = bins->columns[group.first_column + i];
        column.first_sum = group.first_sum + i;
        column.sum_stride = group.width;
      }
      bins->n_sums += group.n_codes * group.width;
    }
  }
  for (auto& feature : bins->features) {
    auto const& column = bins->columns[feature.column];
    feature.sum_stride = column.sum_stride;
    feature.first_sum = column.first_sum + feature.first_code * column.sum_stride;
  }
}

/// Sets the list and the marks of the categorical features.
void ListCategorical(DeviceBins* bins) {
  bins->categorical.clear();
  for (std::uint32_t feature = 0; feature < bins->features.size(); ++feature) {
    if (bins->cuts->IsCategorical(feature)) bins->categorical.push_back(feature);
  }
  bins->is_categorical.assign(bins->categorical.empty() ? 0 : bins->features.size(), 0);
  for (auto const feature : bins->categorical) bins->is_categorical[feature] = 1;
}

}  // namespace

void PlaceGroupsInBytes(DeviceBins* bins) {
  std::uint64_t offset = 0;
  for (auto& group : bins->groups) {
    group.offset = offset;
    auto const size = static_cast<std::uint64_t>(bins->n_rows) * group.width;
    offset += (size + kGroupAlignment - 1) / kGroupAlignment * kGroupAlignment;
  }
}

std::uint64_t DeviceBins::NumCodeBytes() const {
  if (groups.empty()) return 0;
  auto const& last = groups.back();
  return last.offset + static_cast<std::uint64_t>(n_rows) * last.width;
}

std::vector<std::uint8_t> WhichMiss(std::vector<FeatureCuts> const& features, std::int64_t n_rows) {
  std::vector<std::uint8_t> has_missing;
  for (auto const& feature : features) has_missing.push_back(feature.n_values < n_rows ? 1 : 0);
  return has_missing;
}

DeviceBins LayOutDense(std::shared_ptr<QuantileCuts const> cuts, std::vector<std::uint8_t> const& has_missing,
                       std::int64_t n_rows) {
  DeviceBins bins;
  bins.n_rows = n_rows;
  bins.cuts = std::move(cuts);
  std::vector<std::uint32_t> n_codes;
  for (std::size_t f = 0; f < has_missing.size(); ++f) n_codes.push_back(bins.cuts->NumBins(f) + has_missing[f]);
  PlaceFeatures(n_codes, &bins);
  bins.form = MostCodes(bins.columns, 0, n_codes.size()) <= kByteCodes ? CodeForm::kBytes : CodeForm::kWords;
  if (bins.form == CodeForm::kBytes) PlaceGroups(&bins);
  PlaceSums(&bins);
  return bins;
}

DeviceBins LayOutDense(std::vector<FeatureCuts> const& features, std::int64_t n_rows) {
  auto cuts = std::make_shared<QuantileCuts const>(JoinCuts(features, {}));
  return LayOutDense(std::move(cuts), WhichMiss(features, n_rows), n_rows);
}

void AllocateDense(CudaContext const& cuda, DeviceBins* bins) {
  UploadLayout(cuda, bins);
  if (bins->form == CodeForm::kBytes) {
    bins->bytes = {cuda, ToSize(static_cast<std::int64_t>(bins->NumCodeBytes())), CodePlace::kDevice};
  } else {
    bins->words = {cuda, ToSize(bins->n_rows * bins->NumCols()), CodePlace::kDevice};
  }
}

DeviceBins LayOut(std::shared_ptr<BinMatrix const> const& from) {
  std::shared_ptr<QuantileCuts const> cuts(from, &from->Cuts());
  if (from->IsDense() && !from->HasBundles()) return LayOutDense(cuts, from->Shape().has_missing, from->NumRows());
  DeviceBins bins;
  bins.n_rows = from->NumRows();
  bins.cuts = std::move(cuts);
  if (from->HasBundles()) {
    PlaceBundles(*from, &bins);
    PlaceGroups(&bins);
  } else {
    std::vector<std::uint32_t> n_codes;
    for (std::int64_t f = 0; f < from->NumCols(); ++f) n_codes.push_back(from->NumBins(f));
    bins.form = CodeForm::kCells;
    PlaceFeatures(n_codes, &bins);
  }
  PlaceSums(&bins);
  return bins;
}

void UploadLayout(CudaContext const& cuda, DeviceBins* bins) {
  ListCategorical(bins);
  bins->device_features = ToDevice(cuda, bins->features);
  bins->device_columns = ToDevice(cuda, bins->columns);
  bins->device_groups = ToDevice(cuda, bins->groups);
  bins->cut_values = ToDevice(cuda, bins->cuts->values);
  bins->min_values = ToDevice(cuda, bins->cuts->min_values);
  bins->device_is_categorical = ToDevice(cuda, bins->is_categorical);
}

}  // namespace kauri::cuda
