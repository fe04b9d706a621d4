#include "objective/ranking/rank_group.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <utility>

#include "collective/query_order.h"
#include "collective/reduce.h"
#include "common/math.h"
#include "kauri/error.h"
#include "objective/ranking/rank_pair.h"

namespace kauri {
namespace {

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Sorts the rows by descending value, equal values in the order of the rows.
void SortDescending(float const* values, std::int64_t n, std::vector<std::uint64_t>* keys,
                    std::vector<std::uint32_t>* rows) {
  keys->resize(Size(n));
  rows->resize(Size(n));
  for (std::int64_t row = 0; row < n; ++row) {
    auto const high = static_cast<std::uint64_t>(DescendingFloatKey(values[row])) << 32U;
    (*keys)[Size(row)] = high | static_cast<std::uint64_t>(row);
  }
  std::sort(keys->begin(), keys->end());
  std::transform(keys->begin(), keys->end(), rows->begin(), [](auto key) { return static_cast<std::uint32_t>(key); });
}

}  // namespace

void GroupGradients::Compute(GroupRows const& rows, GradientPair* out) {
  auto const scale = rows.n < 2 ? 0.0 : ScaleOf(rows);
  if (scale == 0.0) {
    std::fill_n(out, rows.n, GradientPair{0.0F, 0.0F});
    return;
  }
  auto const by_distance = rule_.normalize_scores && placed_.score[0] != placed_.score[Size(rows.n - 1)];
  auto const largest = *std::max_element(placed_.relevance.begin(), placed_.relevance.begin() + rows.n);
  auto const largest_factor = bias_ == nullptr ? 1.0 : bias_->LargestFactor();
  auto const strength = AddPairs(rows, MakePairRule(rule_, rows.n, largest, scale, by_distance, largest_factor));
  Write(GroupScale(rule_, strength) * rows.weight, out);
}

void GroupGradients::PlaceRows(GroupRows const& rows) {
  SortDescending(rows.scores, rows.n, &keys_, &row_of_place_);
  placed_.Resize(rows.n);
  for (std::size_t place = 0; place < row_of_place_.size(); ++place) {
    auto const row = row_of_place_[place];
    placed_.score[place] = static_cast<double>(rows.scores[row]);
    placed_.relevance[place] = rule_.Relevance(rows.labels[row]);
  }
}

double GroupGradients::ScaleOf(GroupRows const& rows) {
  PlaceRows(rows);
  if (rule_.target == RankTarget::kNdcg) return ScaleOfNdcg(rows);
  return rule_.target == RankTarget::kMap ? ScaleOfMap() : 1.0;
}

double GroupGradients::ScaleOfNdcg(GroupRows const& rows) {
  std::copy_n(discounts_.begin(), rows.n, placed_.value.begin());
  auto const n_ideal = rule_.BestPlaces(rows.n);
  ideal_.assign(placed_.relevance.begin(), placed_.relevance.begin() + rows.n);
  std::partial_sort(ideal_.begin(), ideal_.begin() + n_ideal, ideal_.end(), std::greater<>());
  double sum = 0.0;
  for (std::int64_t place = 0; place < n_ideal; ++place) sum += ideal_[Size(place)] * discounts_[Size(place)];
  return sum > 0.0 ? 1.0 / sum : 0.0;
}

double GroupGradients::ScaleOfMap() {
  auto const grid = ReciprocalGrid();
  std::int64_t n_found = 0;
  double reciprocals = 0.0;
  for (std::int64_t place = 0; place < placed_.n_rows; ++place) {
    bool const relevant = placed_.relevance[Size(place)] != 0.0;
    n_found += relevant ? 1 : 0;
    placed_.value[Size(place)] = MapPlaceValue(n_found, place, reciprocals);
    if (relevant) reciprocals += grid.Round(1.0 / static_cast<double>(place + 1));
  }
  return n_found > 0 ? 1.0 / static_cast<double>(n_found) : 0.0;
}

double GroupGradients::AddPairs(GroupRows const& rows, PairRule const& pairs) {
  auto const one_by_one = [&](auto const& change_of) {
    if (rule_.method == PairMethod::kTopK) return AddBestPairsOneByOne(change_of, pairs);
    AddSampledPairs(change_of, rows, pairs);
    return 0.0;
  };
  if (rule_.method == PairMethod::kTopK && bias_ == nullptr) {
    return AddBestPairs(rule_.target, pairs, rule_.BestPlaces(rows.n), &placed_);
  }
  if (rule_.target == RankTarget::kPairwise) return one_by_one(PairwiseChange{});
  return rule_.target == RankTarget::kNdcg ? one_by_one(NdcgChange{}) : one_by_one(MapChange{});
}

template <typename Change>
double GroupGradients::AddPair(Change const& change_of, std::int64_t upper, std::int64_t lower, PairRule const& pairs) {
  auto const upper_row = placed_.At(upper);
  auto const lower_row = placed_.At(lower);
  if (upper_row.relevance == lower_row.relevance) return 0.0;
  auto const change = change_of(upper_row, lower_row, 1.0 / static_cast<double>(upper + 1));
  auto weight = PairWeight(upper_row, lower_row, change, pairs);
  if (bias_ != nullptr) {
    std::int64_t relevant = row_of_place_[Size(upper)];
    std::int64_t other = row_of_place_[Size(lower)];
    if (upper_row.relevance < lower_row.relevance) std::swap(relevant, other);
    bias_->AddCost(relevant, other, PairCost(upper_row, lower_row, weight), &costs_);
    weight *= bias_->Factor(relevant, other);
  }
  auto const pair = GradientOfPair(upper_row, lower_row, weight, pairs);
  placed_.Add(upper, lower, pair);
  return pair.push;
}

template <typename Change>
double GroupGradients::AddBestPairsOneByOne(Change const& change_of, PairRule const& pairs) {
  double strength = 0.0;
  for (std::int64_t upper = 0; upper < rule_.BestPlaces(placed_.n_rows); ++upper) {
    for (auto lower = upper + 1; lower < placed_.n_rows; ++lower) strength += AddPair(change_of, upper, lower, pairs);
  }
  return strength;
}

template <typename Change>
void GroupGradients::AddSampledPairs(Change const& change_of, GroupRows const& rows, PairRule const& pairs) {
  place_of_row_.resize(row_of_place_.size());
  for (std::uint32_t place = 0; place < row_of_place_.size(); ++place) place_of_row_[row_of_place_[place]] = place;
  SortDescending(rows.labels, rows.n, &keys_, &row_by_label_);
  auto const key = CombineKeys(rule_.key, static_cast<std::uint64_t>(rows.group));
  LabelBucket bucket{0, 0, rows.n};
  for (std::int64_t i = 0; i < rows.n; ++i) {
    auto const row = row_by_label_[Size(i)];
    if (i == bucket.end) {
      bucket.begin = i;
      while (bucket.end < rows.n && rows.labels[row_by_label_[Size(bucket.end)]] == rows.labels[row]) ++bucket.end;
    }
    if (!bucket.HasOthers()) return;
    for (std::int64_t pair = 0; pair < rule_.n_pairs; ++pair) {
      auto const partner = row_by_label_[Size(bucket.Partner(key, row * rule_.n_pairs + pair))];
      auto const upper = std::min(place_of_row_[row], place_of_row_[partner]);
      AddPair(change_of, upper, std::max(place_of_row_[row], place_of_row_[partner]), pairs);
    }
  }
}

void GroupGradients::Write(double scale, GradientPair* out) const {
  for (std::size_t place = 0; place < row_of_place_.size(); ++place) {
    out[row_of_place_[place]] = {static_cast<float>(placed_.gradient[place] * scale),
                                 static_cast<float>(placed_.hessian[place] * scale)};
  }
}

namespace {

struct Group {
  std::int64_t n_rows;
  double weight;  ///< holds a float32
};

std::vector<Group> GroupsOf(MetaInfo const& info, QueryOrder const& order) {
  std::vector<Group> groups;
  for (std::int64_t group = 0; group < order.NumMine(); ++group) {
    groups.push_back({info.group_ptr[group + 1] - info.group_ptr[group], static_cast<double>(info.Weight(group))});
  }
  return groups;
}

}  // namespace

AllLabels GatherGroups(Context const& ctx, MetaInfo const& info, Span<float const> margins) {
  QueryOrder const order(ctx, info);
  auto rows = GatherRows(ctx, info, {{"labels", info.labels}, {"margins", margins}});
  AllLabels all;
  all.info.n_rows = rows.n_rows;
  all.info.labels = std::move(rows.columns[0]);
  all.values = std::move(rows.columns[1]);
  all.info.group_ptr = {0};
  for (auto const& group : GatherByGroup(ctx, order, GroupsOf(info, order))) {
    auto const before = all.info.group_ptr.back();
    if (group.n_rows < 0 || group.n_rows > rows.n_rows - before)
      FailParcel("the query groups have more rows than the data");
    all.info.group_ptr.push_back(before + group.n_rows);
    all.info.weights.push_back(static_cast<float>(group.weight));
  }
  if (all.info.group_ptr.back() != rows.n_rows) FailParcel("the query groups have fewer rows than the data");
  return all;
}

namespace {

/// Returns the largest weight over all ranks; negative without weights.
float LargestWeight(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                    std::int64_t n_mine) {
  // For non-negative floats the order of the bits is the order of the values. 0 stands for ranks without weights.
  std::array<std::uint64_t, 2> words{0, n_mine > 0 && weights.empty() ? 1U : 0U};
  for (auto const weight : weights) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &weight, sizeof(bits));
    words[0] = std::max(words[0], std::uint64_t{bits} + 1);
  }
  MaxOverRanks(ctx, {words.data(), words.size()});
  if (words[0] == 0) return -1.0F;
  if (words[1] != 0) {
    Fail(ErrorKind::kData, objective, ": some ranks have query group weights, others have none; give weights ",
         "on all ranks, or on none");
  }
  auto const bits = static_cast<std::uint32_t>(words[0] - 1);
  float largest = 0.0F;
  std::memcpy(&largest, &bits, sizeof(bits));
  return largest;
}

}  // namespace

double WeightScale(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                   std::int64_t n_mine, std::int64_t n_groups) {
  auto const largest = LargestWeight(ctx, objective, weights, n_mine);
  if (largest < 0.0F) return 1.0;
  if (largest == 0.0F) FailNoGroupWeight(objective, n_groups);
  auto const grid = WeightGrid(n_groups, largest);
  double mine = 0.0;
  for (auto const weight : weights) mine += grid.Round(static_cast<double>(weight));
  // Sums of multiples of the grid's step are exact in any order.
  double sum = 0.0;
  for (auto const& of_rank : GatherOverRanks(ctx, std::vector<double>{mine})) {
    if (of_rank.size() != 1) FailParcel("expected one sum of query group weights per rank");
    sum += of_rank[0];
  }
  return static_cast<double>(n_groups) / sum;
}

void FailNoGroupWeight(std::string const& objective, std::int64_t n_groups) {
  Fail(ErrorKind::kData, objective, ": the weights of the ", n_groups,
       " query groups add up to 0; give some group a weight above 0");
}

}  // namespace kauri
