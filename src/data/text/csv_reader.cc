#include <algorithm>
#include <cmath>
#include <utility>

#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"
#include "data/meta_info.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using Blocks = std::vector<CsvRows>;

template <typename Vector>
Vector Concatenate(Context const& ctx, Blocks const& blocks, Vector CsvRows::*member) {
  std::vector<std::size_t> first{0};
  for (auto const& block : blocks) first.push_back(first.back() + (block.*member).size());
  Vector all(first.back());
  ParallelFor(ctx, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t block) {
    auto const index = static_cast<std::size_t>(block);
    auto const& part = blocks[index].*member;
    std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first[index]));
  });
  return all;
}

void SetQueries(TextFile const& file, std::vector<std::int64_t> const& query_ids, MetaInfo* info) {
  try {
    info->group_ptr = GroupsFromQueryIds(query_ids);
  } catch (Error const& error) {
    Fail(error.Kind(), file.Path(), ": ", error.what());
  }
}

Blocks ParseAll(Context const& ctx, TextFile const& file, CsvFormat const& format) {
  Blocks blocks(static_cast<std::size_t>(file.NumBlocks()));
  file.ParseBlocks(ctx, [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
    auto& rows = blocks[block];
    auto fault = ParseCsvText(text, block, format, &rows);
    *n_lines = rows.n_lines;
    return fault;
  });
  return blocks;
}

bool KnowsTexts(TextNames const& names, CsvFormat const& format, std::size_t field, std::size_t feature) {
  auto place = feature;
  if (!names.features.empty() && !format.fields.empty()) {
    auto const found = std::find(names.features.begin(), names.features.end(), format.fields[field]);
    place = static_cast<std::size_t>(found - names.features.begin());
  }
  return place < names.categories.size() && !names.categories[place].texts.empty();
}

/// Marks the columns that may hold names, and the columns that hold names because the names are known already.
void AllowNames(TextNames const* names, CsvFormat* format) {
  std::size_t feature = 0;
  for (std::size_t field = 0; field < format->roles.size(); ++field) {
    auto const role = format->roles[field];
    auto const is_class = role == CsvRole::kLabel && names != nullptr;
    auto is_known = is_class && !names->classes.empty();
    if (format->IsCategorical(field)) is_known = names != nullptr && KnowsTexts(*names, *format, field, feature);
    if (role == CsvRole::kFeature) ++feature;
    if (!is_class && !format->IsCategorical(field)) continue;
    format->texts[field] = is_known ? CsvTexts::kNames : CsvTexts::kPossible;
  }
}

/// Marks the columns that must be read again as names. Returns whether there are any.
bool FindNames(Blocks const& blocks, CsvFormat* format) {
  auto found = false;
  for (auto const& block : blocks) {
    for (auto const field : block.text_fields) format->texts[static_cast<std::size_t>(field)] = CsvTexts::kNames;
    found |= !block.text_fields.empty();
  }
  return found;
}

/// Returns all names in a column, sorted by their bytes.
std::vector<std::string> NamesOf(Blocks const& blocks, std::size_t field) {
  std::vector<std::string> all;
  for (auto const& block : blocks) {
    auto const& names = block.dictionaries[field].Names();
    all.insert(all.end(), names.begin(), names.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Returns for each name of a block, in the block's order, its index in `all`, which is sorted and contains every name.
std::vector<float> PlacesIn(std::vector<std::string> const& all, CsvDictionary const& own) {
  std::vector<float> places;
  for (auto const& name : own.Names()) {
    places.push_back(static_cast<float>(std::lower_bound(all.begin(), all.end(), name) - all.begin()));
  }
  return places;
}

/// Numbers the categories of all blocks by their sorted names. Returns the names of each feature, [n_features], or an
/// empty table if no column has names.
CategoryNameTable NumberCategories(CsvFormat const& format, Blocks* blocks) {
  auto const n_features = static_cast<std::size_t>(format.NumFeatures());
  CategoryNameTable table;
  std::size_t feature = 0;
  for (std::size_t field = 0; field < format.roles.size(); ++field) {
    if (format.roles[field] != CsvRole::kFeature) continue;
    auto const column = feature++;
    if (format.texts[field] != CsvTexts::kNames) continue;
    auto names = NamesOf(*blocks, field);
    for (auto& block : *blocks) {
      auto const places = PlacesIn(names, block.dictionaries[field]);
      for (auto at = column; at < block.values.size(); at += n_features) {
        if (!std::isnan(block.values[at])) block.values[at] = places[static_cast<std::size_t>(block.values[at])];
      }
    }
    table.resize(n_features);
    table[column].texts = std::move(names);
  }
  return table;
}

/// Returns the index of a label among the known classes. \throws Error(kData) for a label that is not among them.
float ClassOf(TextFile const& file, std::vector<std::string> const& classes, std::string const& label) {
  auto const found = std::find(classes.begin(), classes.end(), label);
  if (found != classes.end()) return static_cast<float>(found - classes.begin());
  constexpr std::size_t kMostShown = 10;
  std::string list;
  for (std::size_t place = 0; place < std::min(classes.size(), kMostShown); ++place) {
    list += (place == 0 ? "" : ", ") + Quoted(classes[place]);
  }
  if (classes.size() > kMostShown) list += " and " + std::to_string(classes.size() - kMostShown) + " more";
  Fail(ErrorKind::kData, file.Path(), ": the label ", Quoted(label), " is none of the classes that are known: ", list,
       ".");
}

/// Replaces labels of text by the numbers of their classes.
void NumberClasses(TextFile const& file, CsvFormat const& format, TextNames* names, Blocks* blocks) {
  auto const found = std::find(format.roles.begin(), format.roles.end(), CsvRole::kLabel);
  auto const field = static_cast<std::size_t>(found - format.roles.begin());
  if (found == format.roles.end() || format.texts[field] != CsvTexts::kNames) return;
  if (names->classes.empty()) names->classes = NamesOf(*blocks, field);
  for (auto& block : *blocks) {
    std::vector<float> places;
    for (auto const& label : block.dictionaries[field].Names()) {
      places.push_back(ClassOf(file, names->classes, label));
    }
    for (auto& label : block.labels) label = places[static_cast<std::size_t>(label)];
  }
}

}  // namespace

std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, TextFile const& file, CsvParam const& param, TextNames* names) {
  auto format = DetectCsvFormat(file, param);
  AllowNames(names, &format);
  auto blocks = ParseAll(ctx, file, format);
  if (FindNames(blocks, &format)) blocks = ParseAll(ctx, file, format);
  auto category_names = NumberCategories(format, &blocks);
  NumberClasses(file, format, names, &blocks);
  std::int64_t n_rows = 0;
  for (auto const& block : blocks) n_rows += block.n_rows;
  if (n_rows == 0) file.FailWithoutRows();  // a header may be the only line
  auto matrix = DataMatrix::FromDense({Concatenate(ctx, blocks, &CsvRows::values)}, n_rows, format.NumFeatures(), ctx);
  auto* const info = matrix->MutableInfo();
  info->labels = Concatenate(ctx, blocks, &CsvRows::labels);
  info->weights = Concatenate(ctx, blocks, &CsvRows::weights);
  info->feature_names = format.feature_names;
  info->feature_types = format.feature_types;
  info->category_names = std::move(category_names);
  info->may_name_categories = true;
  if (format.Has(CsvRole::kQuery)) SetQueries(file, Concatenate(ctx, blocks, &CsvRows::query_ids), info);
  return matrix;
}

std::unique_ptr<DataMatrix> ReadCsv(Context const& ctx, std::string const& path, ParamMap const& params) {
  return ReadNamedCsv(ctx, path, params, nullptr);
}

std::unique_ptr<DataMatrix> ReadNamedCsv(Context const& ctx, std::string const& path, ParamMap const& params,
                                         TextNames* names) {
  RefuseUnknownKeys(params, DescribeParameters<CsvParam>(), "csv");
  return ReadCsv(ctx, TextFile(path), ParseParameters<CsvParam>(params), names);
}

}  // namespace kauri
