#include "tree/constraints/constraints.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "common/text/quoted.h"
#include "data/categories/categories.h"
#include "kauri/error.h"

namespace kauri {
namespace {

void InsertSorted(std::vector<std::uint32_t> const& other, std::vector<std::uint32_t>* ascending) {
  std::vector<std::uint32_t> both;
  std::set_union(ascending->begin(), ascending->end(), other.begin(), other.end(), std::back_inserter(both));
  ascending->swap(both);
}

}  // namespace

TreeConstraints::TreeConstraints(ConstraintRules const& rules, std::int64_t n_features)
    : rules_(rules), signs_(rules.signs), bounds_(1), paths_(1), path_of_node_(1) {
  auto const n = static_cast<std::size_t>(n_features);
  if (signs_.size() > n) {
    Fail(ErrorKind::kParameter, "monotone_constraints has ", signs_.size(), " values, the data have ", n,
         " features; give at most one value for each feature.");
  }
  if (rules.HasMonotone()) signs_.resize(n, 0);
  for (auto const& set : rules.feature_sets) {
    if (set.empty() || set.back() < n) continue;
    Fail(ErrorKind::kParameter, "interaction_constraints names feature ", set.back(), ", but the data have ", n,
         " features, numbered from 0; correct its number, or drop it.");
  }
  paths_[0].sets.resize(rules.feature_sets.size());
  std::iota(paths_[0].sets.begin(), paths_[0].sets.end(), std::size_t{0});
}

WeightBounds TreeConstraints::BoundsOf(std::int32_t node) const {
  return rules_.HasMonotone() ? bounds_[node] : WeightBounds{};
}

std::vector<std::uint32_t> TreeConstraints::AllowedOf(std::int32_t node,
                                                      std::vector<std::uint32_t> const& features) const {
  auto const path = LimitsFeatures() ? path_of_node_[node] : 0;
  if (path == 0) return features;
  auto const& allowed = paths_[path].allowed;
  std::vector<std::uint32_t> both;
  std::set_intersection(features.begin(), features.end(), allowed.begin(), allowed.end(), std::back_inserter(both));
  return both;
}

void TreeConstraints::AddSplit(Tree const& tree, std::int32_t node) {
  if (rules_.HasMonotone() && !tree.HasVectorLeaves()) PassBounds(tree, node);
  if (!LimitsFeatures()) return;
  path_of_node_.resize(tree.left.size());
  auto const path = LongerPath(path_of_node_[node], tree.split_feature[node]);
  path_of_node_[tree.left[node]] = path_of_node_[tree.right[node]] = path;
}

void TreeConstraints::PassBounds(Tree const& tree, std::int32_t node) {
  bounds_.resize(tree.left.size());
  auto const left = ToSize(tree.left[node]);
  auto const right = ToSize(tree.right[node]);
  bounds_[left] = bounds_[right] = bounds_[node];
  auto const sign = SignOf(tree.split_feature[node]);
  // Uses float32, like the weights: bounds are weights that leaves can have.
  auto const middle = static_cast<double>((tree.base_weight[left] + tree.base_weight[right]) / 2.0F);
  if (sign > 0) bounds_[left].upper = bounds_[right].lower = middle;
  if (sign < 0) bounds_[left].lower = bounds_[right].upper = middle;
}

std::size_t TreeConstraints::LongerPath(std::size_t path, std::uint32_t feature) {
  auto used = paths_[path].used;
  InsertSorted({feature}, &used);
  auto const [found, is_new] = path_by_used_.try_emplace(used, paths_.size());
  if (!is_new) return found->second;
  Path longer;
  longer.allowed = longer.used = used;
  for (auto const set : paths_[path].sets) {
    auto const& features = rules_.feature_sets[set];
    if (!std::binary_search(features.begin(), features.end(), feature)) continue;
    longer.sets.push_back(set);
    InsertSorted(features, &longer.allowed);
  }
  paths_.push_back(std::move(longer));
  return paths_.size() - 1;
}

// Parses the texts of constraints: lists of integers, flat or one level deep.

namespace {

/// The largest index that a column can have.
constexpr std::int64_t kMaxFeature = std::numeric_limits<std::uint32_t>::max() - 1;

class ListReader {
 public:
  ListReader(char const* name, char const* form, std::string const& text) : name_(name), form_(form), text_(text) {}

  /// Reads `open` item, item, ... `close`, where take_item() reads an item.
  template <typename TakeItem>
  void TakeList(char open, char close, TakeItem&& take_item) {
    Require(open);
    while (!Take(close)) {
      take_item();
      if (Take(',')) continue;
      Require(close);
      return;
    }
  }
  std::int64_t TakeInteger(std::int64_t least, std::int64_t largest) {
    auto const is_negative = Take('-');
    if (!is_negative) Take('+');
    if (AtEnd() || !IsDigit(text_[at_])) FailHere();
    std::int64_t value = 0;
    for (; !AtEnd() && IsDigit(text_[at_]); ++at_) value = std::min(10 * value + (text_[at_] - '0'), kMaxFeature + 1);
    if (is_negative) value = -value;
    if (value < least || value > largest) {
      Fail(ErrorKind::kParameter, "parameter ", name_, "=", Quoted(text_),
           " has a value out of range before character ", at_, "; expected values from ", least, " to ", largest, ", ",
           form_, ".");
    }
    return value;
  }
  bool Take(char wanted) {
    while (!AtEnd() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    if (AtEnd() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void RequireEnd() {
    Take('\0');  // skips spaces
    if (!AtEnd()) FailHere();
  }
  bool IsBlank() const { return text_.find_first_not_of(" \t\n") == std::string::npos; }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  bool AtEnd() const { return at_ == text_.size(); }
  void Require(char wanted) {
    if (!Take(wanted)) FailHere();
  }
  [[noreturn]] void FailHere() const {
    Fail(ErrorKind::kParameter, "parameter ", name_, "=", Quoted(text_), " cannot be read from character ", at_,
         " on; expected ", form_, ".");
  }

  char const* name_;
  char const* form_;
  std::string const& text_;
  std::size_t at_ = 0;
};

std::vector<std::int8_t> ParseSigns(std::string const& text) {
  ListReader reader("monotone_constraints", "one of -1, 0 and 1 for each feature, as in (1,0,-1)", text);
  std::vector<std::int8_t> signs;
  if (reader.IsBlank()) return signs;
  auto const is_json = text[text.find_first_not_of(" \t\n")] == '[';
  reader.TakeList(is_json ? '[' : '(', is_json ? ']' : ')',
                  [&] { signs.push_back(static_cast<std::int8_t>(reader.TakeInteger(-1, 1))); });
  reader.RequireEnd();
  return signs;
}

std::vector<std::vector<std::uint32_t>> ParseSets(ListReader* reader) {
  std::vector<std::vector<std::uint32_t>> sets;
  reader->TakeList('[', ']', [&] {
    std::vector<std::uint32_t> features;
    reader->TakeList('[', ']',
                     [&] { features.push_back(static_cast<std::uint32_t>(reader->TakeInteger(0, kMaxFeature))); });
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    sets.push_back(std::move(features));
  });
  reader->RequireEnd();
  return sets;
}

}  // namespace

ConstraintRules ParseConstraints(TreeParam const& param) {
  ConstraintRules rules;
  rules.signs = ParseSigns(param.monotone_constraints);
  ListReader reader("interaction_constraints", "lists of feature indices, as in [[0,1],[2,3]]",
                    param.interaction_constraints);
  rules.limits_features = !reader.IsBlank();
  if (rules.limits_features) rules.feature_sets = ParseSets(&reader);
  return rules;
}

}  // namespace kauri
