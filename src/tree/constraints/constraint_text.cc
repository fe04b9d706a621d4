/// \file Parses the texts of constraints: lists of integers, flat or one level deep.
#include <algorithm>
#include <limits>
#include <utility>

#include "common/text/quoted.h"
#include "data/categories/categories.h"
#include "kauri/error.h"
#include "tree/constraints/constraints.h"

namespace kauri {
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
