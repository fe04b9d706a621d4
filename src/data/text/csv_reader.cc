#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"
#include "data/categories/category_names.h"
#include "data/meta_info.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using CsvBlocks = std::vector<CsvRows>;

template <typename Vector>
Vector ConcatenateCsv(Context const& ctx, CsvBlocks const& blocks, Vector CsvRows::*member) {
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

/// The rows of a file, and the number of lines before each block.
struct ParsedFile {
  CsvBlocks blocks;
  std::vector<std::int64_t> lines_before;
};

ParsedFile ParseAll(Context const& ctx, TextFile const& file, CsvFormat const& format) {
  ParsedFile parsed;
  parsed.blocks.resize(static_cast<std::size_t>(file.NumBlocks()));
  parsed.lines_before = file.ParseBlocks(ctx, [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
    auto& rows = parsed.blocks[block];
    auto fault = ParseCsvText(text, block, format, &rows);
    *n_lines = rows.n_lines;
    return fault;
  });
  return parsed;
}

/// Returns for each field whether it is a feature whose categories are known by texts, [n_fields].
std::vector<bool> FindKnown(TextNames const& names, CsvFormat const& format) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t place = 0; place < names.features.size(); ++place) places.emplace(names.features[place], place);
  auto const go_by_name = !places.empty() && !format.fields.empty();
  std::vector<bool> are_known(format.roles.size(), false);
  std::size_t feature = 0;
  for (std::size_t field = 0; field < format.roles.size(); ++field) {
    if (format.roles[field] != CsvRole::kFeature) continue;
    auto place = feature++;
    if (go_by_name) {
      auto const found = places.find(format.fields[field]);
      place = found == places.end() ? names.categories.size() : found->second;
    }
    are_known[field] = place < names.categories.size() && !names.categories[place].texts.empty();
  }
  return are_known;
}

/// Marks the columns that may hold names, and the columns that hold names because the names are known already.
void AllowNames(TextNames const* names, CsvFormat* format) {
  auto const are_known = names == nullptr ? std::vector<bool>(format->roles.size()) : FindKnown(*names, *format);
  for (std::size_t field = 0; field < format->roles.size(); ++field) {
    auto const role = format->roles[field];
    auto const is_class = role == CsvRole::kLabel && names != nullptr;
    if (!is_class && role != CsvRole::kFeature) continue;
    auto const is_known = is_class ? !names->classes.empty() : are_known[field];
    format->texts[field] = is_known ? CsvTexts::kNames : CsvTexts::kPossible;
  }
  if (std::find(are_known.begin(), are_known.end(), true) != are_known.end()) SetCategorical(are_known, format);
}

/// Marks the columns that must be read again as names. Returns whether there are any.
bool FindNames(CsvBlocks const& blocks, CsvFormat* format) {
  auto found = false;
  for (auto const& block : blocks) {
    for (auto const& text : block.first_texts) format->texts[static_cast<std::size_t>(text.field)] = CsvTexts::kNames;
    found |= !block.first_texts.empty();
  }
  return found;
}

/// Columns of text that categorical_columns does not name.
class UndeclaredTexts {
 public:
  explicit UndeclaredTexts(CsvFormat const& format) : are_found_(format.roles.size(), false) {}

  /// Adds the columns whose first text is in these blocks.
  void Add(CsvFormat const& format, CsvBlocks const& blocks, std::vector<std::int64_t> const& lines_before) {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      for (auto text : blocks[block].first_texts) {
        auto const field = static_cast<std::size_t>(text.field);
        if (format.roles[field] != CsvRole::kFeature || format.are_declared[field] || are_found_[field]) continue;
        are_found_[field] = true;
        text.line += lines_before[block];
        first_texts_.push_back(text);
      }
    }
  }
  bool Has(std::size_t field) const { return are_found_[field]; }
  /// \throws Error(kData) for the first text that stands in a column with numbers.
  void RefuseNumbers(TextFile const& file, CsvFormat const& format, CsvBlocks const& blocks) const {
    CsvText const* first = nullptr;
    for (auto const& text : first_texts_) {
      auto const is_earlier = first == nullptr || text.line < first->line;
      if (is_earlier && HasNumber(blocks, static_cast<std::size_t>(text.field))) first = &text;
    }
    if (first != nullptr) file.FailAtLine(first->line, DescribeWrongText(format, *first, first->line));
  }
  /// Makes the columns categorical.
  void Declare(CsvFormat* format) const {
    if (!first_texts_.empty()) SetCategorical(are_found_, format);
  }

 private:
  static bool HasNumber(CsvBlocks const& blocks, std::size_t field) {
    return std::any_of(blocks.begin(), blocks.end(), [&](CsvRows const& rows) {
      auto const& names = rows.dictionaries[field].Names();
      return std::any_of(names.begin(), names.end(), IsNumber);
    });
  }

  std::vector<CsvText> first_texts_;
  std::vector<bool> are_found_;  ///< [n_fields]
};

/// Returns the number of lines before a block.
std::int64_t LinesBefore(TextFile const& file, std::int64_t block) {
  std::vector<char> buffer;
  std::int64_t n_lines = 0;
  for (std::int64_t before = 0; before < block; ++before) {
    n_lines += ForEachLine(file.ReadBlock(before, &buffer), [](char const*, char const*, std::int64_t) {});
  }
  return n_lines;
}

/// Marks the columns of names that the first rows show, so that most files of text are read once. Faults are left to
/// the reading of the whole file.
void LookAtFirstRows(TextFile const& file, CsvFormat* format, UndeclaredTexts* undeclared) {
  std::vector<char> buffer;
  CsvBlocks first(1);
  ParseCsvText(file.ReadBlock(format->first_block, &buffer), format->first_block, *format, &first[0]);
  undeclared->Add(*format, first, {LinesBefore(file, format->first_block)});
  FindNames(first, format);
}

/// Returns all names in a column, sorted by their bytes.
std::vector<std::string> NamesOf(CsvBlocks const& blocks, std::size_t field) {
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
CategoryNameTable NumberCategories(CsvFormat const& format, UndeclaredTexts const& undeclared, CsvBlocks* blocks) {
  auto const n_features = static_cast<std::size_t>(format.NumFeatures());
  CategoryNameTable table;
  std::size_t feature = 0;
  for (std::size_t field = 0; field < format.roles.size(); ++field) {
    if (format.roles[field] != CsvRole::kFeature) continue;
    auto const column = feature++;
    if (format.texts[field] != CsvTexts::kNames) continue;
    auto names = NamesOf(*blocks, field);
    std::int64_t n_rows = 0;
    for (auto& block : *blocks) {
      auto const places = PlacesIn(names, block.dictionaries[field]);
      for (auto at = column; at < block.values.size(); at += n_features) {
        if (!std::isnan(block.values[at])) block.values[at] = places[static_cast<std::size_t>(block.values[at])];
      }
      n_rows += block.n_rows;
    }
    table.resize(n_features);
    table[column].texts = std::move(names);
    if (undeclared.Has(field)) SetTexts(n_rows, &table[column]);
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
void NumberClasses(TextFile const& file, CsvFormat const& format, TextNames* names, CsvBlocks* blocks) {
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
  UndeclaredTexts undeclared(format);
  LookAtFirstRows(file, &format, &undeclared);
  auto parsed = ParseAll(ctx, file, format);
  auto& blocks = parsed.blocks;
  undeclared.Add(format, blocks, parsed.lines_before);
  if (FindNames(blocks, &format)) parsed = ParseAll(ctx, file, format);
  undeclared.RefuseNumbers(file, format, blocks);
  undeclared.Declare(&format);
  auto category_names = NumberCategories(format, undeclared, &blocks);
  NumberClasses(file, format, names, &blocks);
  std::int64_t n_rows = 0;
  for (auto const& block : blocks) n_rows += block.n_rows;
  if (n_rows == 0) file.FailWithoutRows();  // a header may be the only line
  auto matrix =
      DataMatrix::FromDense({ConcatenateCsv(ctx, blocks, &CsvRows::values)}, n_rows, format.NumFeatures(), ctx);
  auto* const info = matrix->MutableInfo();
  info->labels = ConcatenateCsv(ctx, blocks, &CsvRows::labels);
  info->weights = ConcatenateCsv(ctx, blocks, &CsvRows::weights);
  info->feature_names = format.feature_names;
  info->feature_types = format.feature_types;
  info->category_names = std::move(category_names);
  info->may_name_categories = true;
  if (format.Has(CsvRole::kQuery)) SetQueries(file, ConcatenateCsv(ctx, blocks, &CsvRows::query_ids), info);
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
