#include "tree/absolute_error/label_table.h"

#include <algorithm>
#include <utility>

#include "tree/absolute_error/label_binner.h"

namespace kauri {

/// Returns whether to use ranks. Ranks cost a pass over the rows, bin indices an addition per group. Bin indices
/// require that rows have weight, which marks the bins in use.
bool LabelTable::IsWorthRanks() const {
  auto const n_rows = node_->begin[kLabelBins] - node_->begin[0];
  return n_rows < 4 * std::int64_t{bins_->NumBins(feature_)} || node_->has_weightless || !bins_->IsDense();
}

void LabelTable::RankCodes() {
  auto const first = node_->begin[0];
  auto const n_rows = static_cast<std::size_t>(node_->begin[kLabelBins] - first);
  std::vector<std::uint32_t> rank_of(bins_->NumBins(feature_) + std::size_t{1});
  places_.resize(n_rows);
  WithCodes(*bins_, feature_, [&, rows = rows_->Rows() + first](auto const& code_of) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      places_[i] = code_of(rows[i]);
      rank_of[places_[i]] = 1;
    }
  });
  for (std::uint32_t code = 0; code < rank_of.size(); ++code) {
    if (rank_of[code] == 0) continue;
    rank_of[code] = static_cast<std::uint32_t>(codes_.size());
    codes_.push_back(code);
  }
  for (auto& place : places_) place = rank_of[place];
}

bool LabelTable::HasMissing() const {
  if (n_places_ == 1) return false;
  if (is_ranked_) return codes_.back() == bins_->NumBins(feature_);
  auto const* const sums = Sums(known_.size() - 1);
  return sums[n_places_ - 1].weight != sums[n_places_ - 2].weight;
}

/// Lists the bin indices with weight.
void LabelTable::ListCodes() {
  std::int64_t below = 0;
  for (std::uint32_t code = 0; code < n_places_; ++code) {
    auto const weight = Sums(known_.size() - 1)[code].weight;
    if (std::exchange(below, weight) != weight) codes_.push_back(code);
  }
}

template <typename Fn>
void LabelTable::WithPlaces(Fn&& fn) const {
  if (is_ranked_) {
    fn([places = places_.data() - node_->begin[0]](std::int64_t position) { return places[position]; });
    return;
  }
  WithCodes(*bins_, feature_, [&fn, rows = rows_->Rows()](auto const& code_of) {
    fn([rows, code_of](std::int64_t position) { return code_of(rows[position]); });
  });
}

/// Adds the rows of label bins first to last.
void LabelTable::AddRows(std::size_t first, std::size_t last) {
  WithPlaces([&, residuals = rows_->Residuals(), added = added_.data()](auto const& place_of) {
    auto const end = node_->begin[last + 1];
    for (auto position = node_->begin[first]; position < end; ++position)
      added[place_of(position)] += residuals[position];
  });
}

/// Accumulates the sums of all places. Without a base it is 0.
void LabelTable::Accumulate(ResidualSum const* base, ResidualSum* to) const {
  auto const* const added = added_.data();
  auto const n_places = n_places_;
  ResidualSum sum;
  for (std::size_t place = 0; place < n_places; ++place) {
    sum += added[place];
    to[place] = sum;
  }
  if (base == nullptr) return;
  for (std::size_t place = 0; place < n_places; ++place) to[place] += base[place];
}

void LabelTable::Start(BinMatrix const& bins, std::uint32_t feature, LabelRows const& rows, LabelBins const& node) {
  bins_ = &bins;
  feature_ = feature;
  rows_ = &rows;
  node_ = &node;
  known_ = node.ends;
  is_ranked_ = IsWorthRanks();
  codes_.clear();
  if (is_ranked_) RankCodes();
  n_places_ = is_ranked_ ? codes_.size() : bins.NumBins(feature) + std::size_t{1};
  added_.assign(n_places_, {});
  auto const size = kLabelBins * n_places_ + kRoom;
  if (sums_.size() < size) sums_.resize(size);
  std::size_t first = 0;
  for (auto const end : known_) {
    AddRows(first, end);
    Accumulate(nullptr, sums_.data() + end * n_places_);
    first = end + std::size_t{1};
  }
}

void LabelTable::Refine(std::size_t known) {
  auto const first = known == 0 ? std::size_t{0} : known_[known - 1] + std::size_t{1};
  auto const end = std::size_t{known_[known]};
  auto const* const base = known == 0 ? nullptr : Sums(known - 1);
  std::fill_n(added_.begin(), n_places_, ResidualSum{});
  LabelBinList bins;
  for (auto bin = first; bin < end; ++bin) {
    AddRows(bin, bin);
    Accumulate(base, sums_.data() + bin * n_places_);
    bins.push_back(static_cast<std::uint8_t>(bin));
  }
  known_.insert(known_.begin() + static_cast<std::ptrdiff_t>(known), bins.begin(), bins.end());
}

void LabelTable::AddPairs(std::vector<FixedSum>* pairs) const {
  pairs->assign(n_places_ + 1, {});
  WithPlaces([&, of_rows = rows_->Pairs(), added = pairs->data() + 1](auto const& place_of) {
    for (auto position = node_->begin[0]; position < node_->begin[kLabelBins]; ++position)
      added[place_of(position)] += of_rows[position];
  });
  for (std::size_t place = 0; place < n_places_; ++place) (*pairs)[place + 1] += (*pairs)[place];
}

void LabelTable::CountRows(std::vector<std::int64_t>* n_rows) const {
  n_rows->assign(n_places_ + 1, 0);
  WithPlaces([&, counts = n_rows->data() + 1](auto const& place_of) {
    for (auto position = node_->begin[0]; position < node_->begin[kLabelBins]; ++position) ++counts[place_of(position)];
  });
  for (std::size_t place = 0; place < n_places_; ++place) (*n_rows)[place + 1] += (*n_rows)[place];
}

namespace {

/// Returns the last bins of groups that grow with the distance from the quantile's bin, where most sides have theirs.
LabelBinList EndsOfGroups(std::size_t of_quantile, std::size_t last) {
  constexpr std::size_t kWidths[] = {1, 1, 2, 4, 8};
  LabelBinList ends;
  auto const add = [&](std::size_t bin) { ends.push_back(static_cast<std::uint8_t>(bin)); };
  auto below = of_quantile;  // bins not in any group yet
  for (auto const width : kWidths) {
    if (below == 0) break;
    add(below - 1);
    below -= std::min(below, width);
  }
  if (below > 0) add(below - 1);
  std::reverse(ends.begin(), ends.end());
  auto end = of_quantile;
  for (auto const width : kWidths) {
    if (end >= last) break;
    add(end);
    end += width;
  }
  add(last);
  return ends;
}

}  // namespace

LabelRows::LabelRows(FixedResiduals const& residuals, Span<FixedPair const> pairs)
    : residuals_(residuals),
      pairs_(pairs),
      binner_(residuals),
      bin_of_(pairs.size()),
      rows_(pairs.size()),
      sums_(pairs.size()),
      sorted_pairs_(pairs.size()) {}

/// Stores the bins of rows and counts the rows of each bin.
void LabelRows::Count(RowSlice const& slice, LabelBins* bins) {
  auto* const bin_of = bin_of_.data() + slice.begin;
  binner_.Find(slice, bin_of);
  std::array<std::int64_t, kLabelBins> n_rows{};
  for (std::int64_t i = 0; i < slice.end - slice.begin; ++i) ++n_rows[bin_of[i]];
  bins->begin[0] = slice.begin;
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) bins->begin[bin + 1] = bins->begin[bin] + n_rows[bin];
}

void LabelRows::Move(RowSlice const& slice, LabelBins const& bins) {
  auto next = bins.begin;
  for (auto position = slice.begin; position < slice.end; ++position) {
    auto const row = RowAt(slice, position);
    auto const to = static_cast<std::size_t>(next[bin_of_[static_cast<std::size_t>(position)]]++);
    rows_[to] = static_cast<std::uint32_t>(row);
    sums_[to] = residuals_.Of(row);
    sorted_pairs_[to] = pairs_[row];
  }
}

/// Returns the sums of the bins.
LabelSums LabelRows::Add(LabelBins* bins) const {
  LabelSums sums{};
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    ResidualSum sum;
    auto is_weightless = false;
    for (auto position = bins->begin[bin]; position < bins->begin[bin + 1]; ++position) {
      auto const& row = sums_[static_cast<std::size_t>(position)];
      sum += row;
      is_weightless |= row.weight == 0;
    }
    bins->has_weightless |= is_weightless;
    sums[bin] = sum;
    bins->all += sum;
  }
  return sums;
}

LabelBins LabelRows::Sort(RowSlice const& slice) {
  LabelBins bins;
  Count(slice, &bins);
  Move(slice, bins);
  auto const sums = Add(&bins);
  BinSides sides(residuals_, sums, bins.all);
  bins.errors = sides.RightErrors();
  std::size_t last = kLabelBins;
  while (last > 1 && bins.begin[last - 1] == slice.end) --last;
  bins.ends = EndsOfGroups(sides.RightBin(), last - 1);
  return bins;
}

}  // namespace kauri
