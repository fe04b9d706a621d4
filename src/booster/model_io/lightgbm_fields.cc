#include "booster/model_io/lightgbm_fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kauri::model_io {
namespace {

using LevelJson = nlohmann::json;

/// Greatest number of (list, column) pairs that are compared to find the columns of the lists.
constexpr std::int64_t kMostPairs = 50'000'000;

/// The codes that an entry of feature_infos tells of a column: [0:2], -1:0:2, or none.
struct CodeRange {
  bool is_sure = false;   ///< a list of values, which only splits by categories have
  bool any = false;       ///< the column has one value or none, and no entry
  bool are_codes = true;  ///< all values are whole numbers of at least -1
  double largest = -1;

  /// Returns whether the values may be codes of so many levels.
  bool Fits(std::size_t n_levels) const { return any || (are_codes && largest < static_cast<double>(n_levels)); }
};

CodeRange RangeOf(std::string_view info) {
  CodeRange range;
  range.any = info == "none";
  if (range.any) return range;
  range.is_sure = !info.empty() && info.front() != '[' && info.front() != 'n';
  auto const begin = std::min(info.find_first_not_of("[]"), info.size());
  info = info.substr(begin, info.find_last_not_of("[]") + 1 - begin);
  for (auto const part : SplitText(info, ":")) {
    double value = 0;
    bool const is_code = ParseAll(part, &value) && std::floor(value) == value && value >= -1;
    range.are_codes = range.are_codes && is_code;
    range.largest = std::max(range.largest, value);
  }
  return range;
}

/// Searches for the columns of the lists: the i-th list belongs to the i-th of the chosen columns, whose codes must fit
/// it, and every sure column is chosen.
class ColumnSearch {
 public:
  ColumnSearch(std::vector<std::size_t> sizes, std::vector<CodeRange> const& ranges)
      : sizes_(std::move(sizes)), ranges_(ranges) {
    auto const longest = sizes_.empty() ? 0 : *std::max_element(sizes_.begin(), sizes_.end());
    for (std::size_t column = 0; column < ranges.size(); ++column) {
      if (ranges[column].is_sure || ranges[column].Fits(longest)) columns_.push_back(column);
    }
  }

  /// Returns the columns; empty unless there is exactly one possibility.
  std::vector<std::size_t> Find() {
    if (FitSure()) return sure_;
    if (columns_.size() < sizes_.size()) return {};
    n_spare_ = columns_.size() - sizes_.size();
    if (static_cast<std::int64_t>(n_spare_ + 1) > kMostPairs / static_cast<std::int64_t>(sizes_.size() + 1)) return {};
    CountWays();
    return ways_[0] == 1 ? Chosen() : std::vector<std::size_t>{};
  }

 private:
  /// Returns whether the columns with lists of values are as many as the lists of names and fit them.
  bool FitSure() {
    for (std::size_t column = 0; column < ranges_.size(); ++column) {
      if (ranges_[column].is_sure) sure_.push_back(column);
    }
    if (sure_.size() != sizes_.size()) return false;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (!ranges_[sure_[i]].Fits(sizes_[i])) return false;
    }
    return true;
  }

  /// Returns whether list i may belong to the column after i lists and `skipped` columns without one.
  bool MayTake(std::size_t list, std::size_t skipped) const {
    return ranges_[columns_[list + skipped]].Fits(sizes_[list]);
  }
  bool MaySkip(std::size_t list, std::size_t skipped) const {
    return skipped < n_spare_ && !ranges_[columns_[list + skipped]].is_sure;
  }

  /// Counts the ways (0, 1, or 2 for more) to place the lists from `list` on after so many skipped columns.
  void CountWays() {
    auto const width = n_spare_ + 1;
    auto const n_lists = sizes_.size();
    ways_.assign((n_lists + 1) * width, 0);
    for (std::size_t list = n_lists + 1; list-- > 0;) {
      for (std::size_t skipped = width; skipped-- > 0;) {
        if (list + skipped == columns_.size()) {
          ways_[list * width + skipped] = 1;
          continue;
        }
        int ways = 0;
        if (list < n_lists && MayTake(list, skipped)) ways += ways_[(list + 1) * width + skipped];
        if (MaySkip(list, skipped)) ways += ways_[list * width + skipped + 1];
        ways_[list * width + skipped] = static_cast<std::uint8_t>(std::min(ways, 2));
      }
    }
  }

  std::vector<std::size_t> Chosen() const {
    std::vector<std::size_t> chosen;
    for (std::size_t list = 0, skipped = 0; list < sizes_.size();) {
      if (MayTake(list, skipped) && ways_[(list + 1) * (n_spare_ + 1) + skipped] > 0) {
        chosen.push_back(columns_[list++ + skipped]);
      } else {
        ++skipped;
      }
    }
    return chosen;
  }

  std::vector<std::size_t> sizes_;  ///< [n_lists], numbers of names
  std::vector<CodeRange> const& ranges_;
  std::vector<std::size_t> columns_;  ///< columns that a list may belong to, ascending
  std::vector<std::size_t> sure_;
  std::size_t n_spare_ = 0;
  std::vector<std::uint8_t> ways_;  ///< [n_lists + 1, n_spare + 1]
};

/// Returns the number behind a level, if it is a whole number of 64 bits.
bool IsWhole(LevelJson const& level, std::int64_t* out) {
  constexpr double kLimit = 9223372036854775808.0;
  if (level.is_number_float()) {
    auto const value = level.get<double>();
    if (std::floor(value) != value || value < -kLimit || value >= kLimit) return false;
    *out = static_cast<std::int64_t>(value);
    return true;
  }
  if (level.is_number_unsigned() && level.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return false;
  *out = level.get<std::int64_t>();
  return true;
}

std::string NameOfLevel(LevelJson const& level, std::size_t column) {
  if (level.is_string()) return level.get<std::string>();
  if (level.is_boolean()) return level.get<bool>() ? "True" : "False";
  if (level.is_number_integer()) return level.dump();
  Fail(ErrorKind::kModel, "column ", column, " has the category ", Quoted(level.dump(-1, ' ', true)),
       " beside others; expected texts or whole numbers alone. Fit on codes, or on texts.");
}

CategoryNames NamesOf(LevelJson const& levels, std::size_t column) {
  CategoryNames names;
  for (auto const& level : levels) {
    std::int64_t number = 0;
    if (!level.is_number()) continue;
    if (!IsWhole(level, &number)) {
      Fail(ErrorKind::kModel, "column ", column, " has categories such as ", level.dump(),
           ", which are no whole numbers. Fit on codes, or on texts.");
    }
    names.numbers.push_back(number);
  }
  if (names.numbers.size() == levels.size()) return names;
  names.numbers.clear();
  for (auto const& level : levels) names.texts.push_back(NameOfLevel(level, column));
  return names;
}

constexpr std::string_view kCategories = "\npandas_categorical:";

/// Returns the lists of names at the end of the text, or null.
LevelJson ListsOf(std::string_view text) {
  auto const found = text.rfind(kCategories);
  if (found == std::string_view::npos) return nullptr;
  auto const line = text.substr(found + kCategories.size());
  auto lists = LevelJson::parse(line, nullptr, /*allow_exceptions=*/false);
  if (lists.is_discarded()) {
    Fail(ErrorKind::kModel, "a model of LightGBM has names of categories that are no JSON: ", Quoted(line, 60),
         ". The file is damaged.");
  }
  auto const is_list = [](LevelJson const& levels) { return levels.is_array(); };
  if (!lists.is_null() && (!lists.is_array() || !std::all_of(lists.begin(), lists.end(), is_list))) {
    Fail(ErrorKind::kModel, "a model of LightGBM has names of categories that are no lists: ", Quoted(line, 60),
         ". The file is damaged.");
  }
  return lists;
}

}  // namespace

LightGbmFields FieldsOf(std::string_view text) {
  LightGbmFields fields;
  for (auto const line : SplitText(text.substr(0, text.find("\n\n")), "\n")) {
    auto const mark = line.find('=');
    if (mark != std::string_view::npos) fields[line.substr(0, mark)] = line.substr(mark + 1);
  }
  return fields;
}

std::vector<std::string_view> SplitText(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto const end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::string_view FieldOr(LightGbmFields const& fields, std::string_view name, std::string_view otherwise) {
  auto const found = fields.find(name);
  return found == fields.end() ? otherwise : found->second;
}

std::int64_t WholeNumber(LightGbmFields const& fields, std::string_view name, std::int64_t least) {
  auto const text = FieldOr(fields, name, "");
  std::int64_t number = -1;
  if (!ParseAll(text, &number) || number < least) {
    Fail(ErrorKind::kModel, "a model of LightGBM has ", name, "=", Quoted(text), " where a whole number of at least ",
         least, " is expected. The file is damaged.");
  }
  return number;
}

CategoryNameTable CategoryNamesOf(std::string_view text, std::string_view feature_infos, std::int64_t n_features) {
  auto const lists = ListsOf(text);
  if (lists.empty()) return {};
  auto const infos = SplitText(feature_infos, " ");
  if (static_cast<std::int64_t>(infos.size()) != n_features) {
    Fail(ErrorKind::kModel, "a model of LightGBM has ", n_features, " columns and ", infos.size(),
         " feature_infos. The file is damaged.");
  }
  std::vector<CodeRange> ranges;
  for (auto const info : infos) ranges.push_back(RangeOf(info));
  std::vector<std::size_t> sizes;
  for (auto const& levels : lists) sizes.push_back(levels.size());
  auto const columns = ColumnSearch(sizes, ranges).Find();
  if (columns.empty()) {
    Fail(ErrorKind::kModel, "the model names the categories of ", lists.size(),
         " columns, but its file does not say which columns: some are ordered or have one value only. Fit it on "
         "unordered categories, or on their codes.");
  }
  CategoryNameTable names(infos.size());
  for (std::size_t i = 0; i < columns.size(); ++i) names[columns[i]] = NamesOf(lists[i], columns[i]);
  bool const has_names = std::any_of(names.begin(), names.end(), [](auto const& each) { return each.Size() > 0; });
  return has_names ? names : CategoryNameTable{};
}

}  // namespace kauri::model_io
