#include "data/meta_info.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "collective/row_ranges.h"
#include "common/large_memory.h"
#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"
#include "data/arrays/array_dispatch.h"
#include "data/column_names.h"
#include "kauri/error.h"
#include "kauri/parameter.h"

namespace kauri {
namespace {

[[noreturn]] void FailUnknown(char const* what, std::string const& field, std::vector<std::string> const& known) {
  std::string list;
  for (auto const& name : known) list += (list.empty() ? "" : ", ") + name;
  auto const nearest = NearestName(field, known);
  Fail(ErrorKind::kParameter, "unknown ", what, " ", Quoted(field),
       nearest.empty() ? "." : "; did you mean '" + nearest + "'?", " Known: ", list, ".");
}

/// The condition on a value besides not being NaN, which only kFiniteOrMissing allows.
enum class Rule { kFinite, kFiniteOrMissing, kNotNegative, kLowerBound, kUpperBound };

char const* Meaning(Rule rule) {
  switch (rule) {
    case Rule::kFinite:
      return "finite float32 numbers";
    case Rule::kFiniteOrMissing:
      return "finite float32 numbers, or NaN where a label is not known";
    case Rule::kNotNegative:
      return "finite float32 numbers of at least 0";
    case Rule::kLowerBound:
      return "numbers or -infinity";
    case Rule::kUpperBound:
      return "numbers or +infinity";
  }
  return "";
}

/// The values that a rule allows, both ends included; NaN never lies between them.
struct Bounds {
  float least;
  float most;
};

Bounds BoundsOf(Rule rule) {
  constexpr auto kInfinity = std::numeric_limits<float>::infinity();
  Bounds bounds{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  if (rule == Rule::kNotNegative) bounds.least = 0.0F;
  if (rule == Rule::kLowerBound) bounds.least = -kInfinity;
  if (rule == Rule::kUpperBound) bounds.most = kInfinity;
  return bounds;
}

/// Returns the index of the first value for which holds() is false, or values.size(). Counts in blocks, because a loop
/// without an early exit is vectorised.
template <typename Holds>
std::size_t FindFirst(Context const& ctx, std::vector<float> const& values, Holds&& holds) {
  constexpr std::int64_t kBlock = 1 << 16;
  auto const n = static_cast<std::int64_t>(values.size());
  std::vector<std::int64_t> n_good(ToSize(NumBlocks(n, kBlock)));
  ParallelForBlocks(ctx, n, kBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    n_good[block] = std::count_if(values.begin() + begin, values.begin() + end, holds);
  });
  for (std::size_t block = 0; block < n_good.size(); ++block) {
    auto const begin = static_cast<std::int64_t>(block) * kBlock;
    auto const end = std::min(n, begin + kBlock);
    if (n_good[block] < end - begin) {
      return std::find_if_not(values.begin() + begin, values.begin() + end, holds) - values.begin();
    }
  }
  return values.size();
}

/// Returns the index of the first value that the rule does not allow, or values.size().
std::size_t FindBad(Context const& ctx, Rule rule, std::vector<float> const& values) {
  auto const bounds = BoundsOf(rule);
  if (rule == Rule::kFiniteOrMissing) {
    return FindFirst(ctx, values, [&](float value) { return !(value < bounds.least || value > bounds.most); });
  }
  return FindFirst(ctx, values, [&](float value) { return value >= bounds.least && value <= bounds.most; });
}

template <typename T>
void ConvertStrip(char const* from, std::int64_t stride, std::int64_t n, float* to) {
  if (stride == static_cast<std::int64_t>(sizeof(T))) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(LoadElement<T>(from + i * sizeof(T)));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(LoadElement<T>(from + i * stride));
}

/// Returns the beginning of messages about bad values, in the words that code around XGBoost looks for.
char const* WhatIsBad(std::string const& field) {
  if (field == "label") return "Label contains NaN, infinity or a value too large: ";
  if (field == "weight") return "Weights must be positive values: ";
  if (field == "feature_weights") return "Feature weight must be greater than or equal to 0: ";
  return "";
}

/// Returns an additional remark on a bad value.
char const* RemarkOn(std::string const& field, float value) {
  if (field != "label" || !std::isnan(value)) return "";
  return "; only a table of two label columns or more may have NaN, where a label is not known";
}

/// Returns all elements, row by row, as float32. Contiguous numbers are copied in one pass, into memory whose pages all
/// threads provide.
std::vector<float> CopyFloats(Context const& ctx, ArrayView const& array) {
  std::vector<float> values;
  auto const n = ToSize(array.Size());
  auto const n_cols = array.shape[1];
  if (array.dtype == DType::kF32 && n_cols == 1 && array.strides[0] == sizeof(float)) {
    auto const* const from = static_cast<float const*>(array.data);
    ReserveLarge(ctx, &values, n);
    values.insert(values.end(), from, from + n);
    return values;
  }
  ResizeLarge(ctx, &values, n);
  DispatchDType(array.dtype, [&](auto tag) {
    auto const* const from = static_cast<char const*>(array.data);
    if (n_cols == 1) return ConvertStrip<decltype(tag)>(from, array.strides[0], array.shape[0], values.data());
    for (std::int64_t row = 0; row < array.shape[0]; ++row) {
      ConvertStrip<decltype(tag)>(from + row * array.strides[0], array.strides[1], n_cols,
                                  values.data() + row * n_cols);
    }
  });
  return values;
}

/// \throws Error(kData) naming the first value that the rule does not allow.
void RequireAllowed(Context const& ctx, std::string const& field, std::vector<float> const& values, std::int64_t n_cols,
                    Rule rule) {
  auto const bad = FindBad(ctx, rule, values);
  if (bad == values.size()) return;
  Fail(ErrorKind::kData, WhatIsBad(field), field, " of row ", bad / n_cols, " is ", values[bad], "; it must hold ",
       Meaning(rule), ". Correct or drop that row", RemarkOn(field, values[bad]), ".");
}

std::vector<float> ReadFloats(Context const& ctx, std::string const& field, ArrayView const& array, Rule rule) {
  if (array.Size() == 0) return {};  // also for any number of rows without columns
  auto values = CopyFloats(ctx, array);
  RequireAllowed(ctx, field, values, array.shape[1], rule);
  return values;
}

/// Returns all elements as int64; floating-point elements must be integers.
std::vector<std::int64_t> ReadIntegers(std::string const& field, ArrayView const& array) {
  std::vector<std::int64_t> values(array.Size());
  auto const is_integer = DispatchDType(array.dtype, [](auto tag) { return std::is_integral_v<decltype(tag)>; });
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const row = static_cast<std::int64_t>(i);
    if (is_integer) {
      values[i] = ElementAsIndex(array, row, field.c_str());
      continue;
    }
    auto const value = ElementAsDouble(array, row, 0);
    if (!(std::fabs(value) < 0x1p53) || value != std::floor(value)) {
      Fail(ErrorKind::kData, field, "[", i, "] is ", value, "; it must hold integers.");
    }
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

void RequireLength(std::string const& field, std::int64_t length, std::int64_t expected, char const* of_what) {
  if (length != expected && expected != kUnknownCount) {
    Fail(ErrorKind::kData, field, " has ", length, " values, but the data have ", expected, " ", of_what, ".");
  }
}

void RequireVector(std::string const& field, ArrayView const& array) {
  if (array.shape[1] == 1 || array.Size() == 0) return;
  Fail(ErrorKind::kData, field, " has the shape [", array.shape[0], ", ", array.shape[1], "]; it must be a vector.");
}

/// Returns the number of label columns of an array of this shape.
std::int64_t TargetsOf(MetaInfo const& info, ArrayView const& array) {
  auto const n_values = array.Size();
  auto const is_row_vector = array.n_dims == 2 && array.shape[0] == 1 && n_values == info.n_rows;
  // Without columns there is nothing to learn from: any number of labels is stored, and training refuses them.
  if (n_values > 0 && !is_row_vector && info.n_cols != 0) RequireLength("label", array.shape[0], info.n_rows, "rows");
  return n_values > 0 && !is_row_vector ? array.shape[1] : 1;
}

Rule RuleOfLabels(std::int64_t n_targets) { return n_targets > 1 ? Rule::kFiniteOrMissing : Rule::kFinite; }

void SetLabelArray(Context const& ctx, MetaInfo* info, ArrayView const& array) {
  auto const n_targets = TargetsOf(*info, array);
  info->labels = ReadFloats(ctx, "label", array, RuleOfLabels(n_targets));
  info->n_targets = n_targets;
}

void SetWeights(Context const& ctx, MetaInfo* info, ArrayView const& array) {
  RequireVector("weight", array);
  auto const length = array.Size();
  auto const is_too_long = info->n_rows != kUnknownCount && length > info->n_rows;
  if (is_too_long || !info->group_ptr.empty()) CheckWeightCount(*info, length);
  info->weights = ReadFloats(ctx, "weight", array, Rule::kNotNegative);
}

void SetBaseMargin(Context const& ctx, MetaInfo* info, ArrayView const& array) {
  auto const n_values = array.Size();
  auto const rows_fit = info->n_rows == kUnknownCount || (info->n_rows > 0 && n_values % info->n_rows == 0);
  if (n_values > 0 && !rows_fit) {
    Fail(ErrorKind::kData, "base_margin has the shape [", array.shape[0], ", ", array.shape[1], "], but the data have ",
         info->n_rows, " rows; give [n_rows] or [n_rows, n_outputs], or as many values in another shape.");
  }
  info->base_margin = ReadFloats(ctx, "base_margin", array, Rule::kFinite);
}

void SetGroups(MetaInfo* info, ArrayView const& array) {
  RequireVector("group", array);
  if (array.Size() == 0) return info->group_ptr.clear();
  auto const sizes = ReadIntegers("group", array);
  std::vector<std::int64_t> group_ptr{0};
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    std::int64_t end = 0;
    if (sizes[group] < 0 || __builtin_add_overflow(group_ptr.back(), sizes[group], &end)) {
      Fail(ErrorKind::kData, "group[", group, "] is ", sizes[group],
           "; sizes must be at least 0 and add up to the number of rows.");
    }
    group_ptr.push_back(end);
  }
  info->group_ptr = std::move(group_ptr);
}

void SetQueryIds(MetaInfo* info, ArrayView const& array) {
  RequireVector("qid", array);
  if (array.Size() == 0) return info->group_ptr.clear();
  RequireLength("qid", array.Size(), info->n_rows, "rows");
  info->group_ptr = GroupsFromQueryIds(ReadIntegers("qid", array));
}

void SetBound(Context const& ctx, MetaInfo const& info, std::string const& field, ArrayView const& array, Rule rule,
              std::vector<float>* bound) {
  RequireVector(field, array);
  if (array.Size() > 0) RequireLength(field, array.Size(), info.n_rows, "rows");
  *bound = ReadFloats(ctx, field, array, rule);
}

void SetFeatureWeights(Context const& ctx, MetaInfo* info, ArrayView const& array) {
  RequireVector("feature_weights", array);
  if (array.Size() > 0) RequireLength("feature_weights", array.Size(), info->n_cols, "columns");
  info->feature_weights = ReadFloats(ctx, "feature_weights", array, Rule::kNotNegative);
}

void SetGlobalRows(MetaInfo* info, ArrayView const& array) {
  if (array.Size() == 0) return info->global_rows.clear();
  if (array.shape[1] != 2) {
    Fail(ErrorKind::kData, "global_rows has the shape [", array.shape[0], ", ", array.shape[1],
         "]; it must be [n_ranges, 2]: the first row of each range, and their number.");
  }
  auto column = array;
  column.shape[1] = 1;
  auto const firsts = ReadIntegers("global_rows", column);
  column.data = ElementAddress(array, 0, 1);
  auto const counts = ReadIntegers("global_rows", column);
  std::vector<RowRange> ranges(firsts.size());
  std::int64_t n_rows = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = {firsts[i], counts[i]};
  ranges = CheckedRanges(ranges);
  for (auto const& range : ranges) n_rows += range.count;
  if (info->n_rows != kUnknownCount && n_rows != info->n_rows) FailRangeCount(n_rows, info->n_rows);
  info->global_rows = std::move(ranges);
}

void CheckTypes(std::vector<std::string> const& types) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    auto const& type = types[i];
    if (type == "float" || type == "q" || type == "int" || type == "i" || type == "c") continue;
    Fail(ErrorKind::kData, "feature ", i, " has the unknown type ", Quoted(type), ". Known: float, q, int, i, c.");
  }
}

}  // namespace

MetaInfo InfoOfUnknownRows() {
  MetaInfo info;
  info.n_rows = kUnknownCount;
  info.n_cols = kUnknownCount;
  return info;
}

void SetInfo(MetaInfo* info, std::string const& field, ArrayView const& array, Context const& ctx) {
  if (field == "label") return SetLabelArray(ctx, info, array);
  if (field == "weight") return SetWeights(ctx, info, array);
  if (field == "base_margin") return SetBaseMargin(ctx, info, array);
  if (field == "group") return SetGroups(info, array);
  if (field == "qid") return SetQueryIds(info, array);
  if (field == "label_lower_bound")
    return SetBound(ctx, *info, field, array, Rule::kLowerBound, &info->label_lower_bound);
  if (field == "label_upper_bound")
    return SetBound(ctx, *info, field, array, Rule::kUpperBound, &info->label_upper_bound);
  if (field == "feature_weights") return SetFeatureWeights(ctx, info, array);
  if (field == "global_rows") return SetGlobalRows(info, array);
  FailUnknown("field", field,
              {"label", "weight", "base_margin", "group", "qid", "label_lower_bound", "label_upper_bound",
               "feature_weights", "global_rows"});
}

void SetLabels(MetaInfo* info, ArrayView const& array, std::vector<float> values, Context const& ctx) {
  auto const n_targets = TargetsOf(*info, array);
  RequireAllowed(ctx, "label", values, array.shape[1], RuleOfLabels(n_targets));
  info->labels = std::move(values);
  info->n_targets = n_targets;
}

std::vector<float> const& GetFloatInfo(MetaInfo const& info, std::string const& field) {
  if (field == "label") return info.labels;
  if (field == "weight") return info.weights;
  if (field == "base_margin") return info.base_margin;
  if (field == "label_lower_bound") return info.label_lower_bound;
  if (field == "label_upper_bound") return info.label_upper_bound;
  if (field == "feature_weights") return info.feature_weights;
  FailUnknown("float field", field,
              {"label", "weight", "base_margin", "label_lower_bound", "label_upper_bound", "feature_weights"});
}

std::vector<std::uint32_t> GetUintInfo(MetaInfo const& info, std::string const& field) {
  if (field == "group_ptr") return {info.group_ptr.begin(), info.group_ptr.end()};
  if (field != "global_rows") FailUnknown("unsigned field", field, {"group_ptr", "global_rows"});
  std::vector<std::uint32_t> words;
  for (auto const& range : info.global_rows) {
    words.push_back(static_cast<std::uint32_t>(range.first));
    words.push_back(static_cast<std::uint32_t>(range.count));
  }
  return words;
}

void SetFeatureStrings(MetaInfo* info, std::string const& field, std::vector<std::string> strings) {
  auto const is_name = field == "feature_name";
  if (!is_name && field != "feature_type") FailUnknown("feature field", field, {"feature_name", "feature_type"});
  if (!strings.empty()) RequireLength(field, static_cast<std::int64_t>(strings.size()), info->n_cols, "columns");
  if (is_name) {
    RequireUniqueNames(strings);
    info->feature_names = std::move(strings);
  } else {
    CheckTypes(strings);
    info->feature_types = std::move(strings);
  }
}

std::vector<std::string> const& GetFeatureStrings(MetaInfo const& info, std::string const& field) {
  if (field == "feature_name") return info.feature_names;
  if (field == "feature_type") return info.feature_types;
  FailUnknown("feature field", field, {"feature_name", "feature_type"});
}

std::vector<std::int64_t> GroupsFromQueryIds(Span<std::int64_t const> ids) {
  std::vector<std::int64_t> group_ptr{0};
  for (std::size_t row = 1; row < ids.size(); ++row) {
    if (ids[row] < ids[row - 1]) {
      Fail(ErrorKind::kData, "qid of row ", row, " is ", ids[row], ", less than ", ids[row - 1],
           " before it; sort the rows by qid, in non-decreasing order.");
    }
    if (ids[row] != ids[row - 1]) group_ptr.push_back(static_cast<std::int64_t>(row));
  }
  if (!ids.empty()) group_ptr.push_back(static_cast<std::int64_t>(ids.size()));
  return group_ptr;
}

}  // namespace kauri
