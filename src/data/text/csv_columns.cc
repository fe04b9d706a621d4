/// Determines the columns of a CSV file from its first line and its parameters.
#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "common/text/quoted.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// The first line that is not blank, and its place.
struct FirstLine {
  CsvFirstLine content;
  std::int64_t block = 0;
  std::int64_t line = 0;  ///< line number in the file, from 1
};

FirstLine FindFirstLine(TextFile const& file, char delimiter) {
  std::vector<char> buffer;
  std::int64_t lines_before = 0;
  for (std::int64_t block = 0; block < file.NumBlocks(); ++block) {
    std::int64_t n_lines = 0;
    auto found = FindCsvFirstLine(file.ReadBlock(block, &buffer), delimiter, &n_lines);
    if (found) return {*found, block, lines_before + found->line};
    lines_before += n_lines;
  }
  file.FailWithoutRows();
}

/// Returns whether a field begins like a number. "1;2" is not a name: the delimiter may be another one.
bool BeginsAsNumbersDo(std::string const& field) {
  return !field.empty() && std::string("0123456789+-.").find(field[0]) != std::string::npos;
}

bool IsHeader(FirstLine const& first, CsvParam const& param) {
  if (param.header != CsvParam::kAuto) return param.header == CsvParam::kYes;
  auto const& fields = first.content.fields;
  auto const& is_text = first.content.is_text;
  return first.content.n_numbers == 0 && std::find(is_text.begin(), is_text.end(), true) != is_text.end() &&
         std::none_of(fields.begin(), fields.end(), BeginsAsNumbersDo);
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    auto const length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// The columns of a file, found by number or by name.
class Columns {
 public:
  Columns(TextFile const& file, std::vector<std::string> fields, bool has_names)
      : file_(file), fields_(std::move(fields)), has_names_(has_names), roles_(fields_.size(), CsvRole::kFeature) {
    if (!has_names_) return;
    for (auto const& name : fields_) {
      if (!IsUtf8(name)) {
        Fail(ErrorKind::kData, file.Path(), ": the header has ", Quoted(name),
             ", which is not UTF-8; convert the file, as with iconv -f latin1 -t utf-8.");
      }
    }
    auto sorted = fields_;
    sorted.erase(std::remove(sorted.begin(), sorted.end(), ""), sorted.end());
    std::sort(sorted.begin(), sorted.end());
    auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return;
    Fail(ErrorKind::kData, file.Path(), ": the header has ", Quoted(*twice),
         " more than once; give each column its own name.");
  }

  /// Requires a name for each column. Ignored columns need none.
  void RequireNames() const {
    for (std::size_t field = 0; has_names_ && field < fields_.size(); ++field) {
      if (!fields_[field].empty() || roles_[field] == CsvRole::kIgnored) continue;
      Fail(ErrorKind::kData, file_.Path(), ": the header has a column without a name, column ", field,
           "; give each column its own name, or leave it out, as the index that pandas writes, by ignore_columns=",
           field, ".");
    }
  }

  /// Assigns a role to a column. `column`: a name or a number; -1 and the empty string mean no column.
  void Give(char const* parameter, std::string const& column, CsvRole role) {
    if (column.empty() || column == "-1") return;
    auto& own = roles_[Find(parameter, column)];
    if (own != CsvRole::kFeature) {
      Fail(ErrorKind::kParameter, parameter, "=", column,
           " is already used by another parameter; name another column.");
    }
    own = role;
  }

  std::size_t Find(char const* parameter, std::string const& column) const {
    auto const named = std::find(fields_.begin(), fields_.end(), column);
    if (has_names_ && named != fields_.end()) return static_cast<std::size_t>(named - fields_.begin());
    std::int64_t number = -1;
    auto const* const end = column.data() + column.size();
    auto const [stop, error] = std::from_chars(column.data(), end, number);
    if (error != std::errc() || stop != end || number < 0) {
      Fail(ErrorKind::kParameter, parameter, "=", column, ": ", file_.Path(), " has no column of that name",
           Hint(column));
    }
    if (number >= static_cast<std::int64_t>(fields_.size())) {
      Fail(ErrorKind::kParameter, parameter, "=", number, " is past the last column of ", file_.Path(), ", which has ",
           fields_.size(), "; columns count from 0.");
    }
    return static_cast<std::size_t>(number);
  }

  std::vector<CsvRole> const& Roles() const { return roles_; }

 private:
  std::string Hint(std::string const& column) const {
    if (!has_names_) return ", as it has no header; give its number, from 0.";
    auto const other = fields_.size() == 1 ? fields_[0].find_first_of(";\t|") : std::string::npos;
    if (other != std::string::npos) {
      auto const shown = fields_[0][other] == '\t' ? std::string("\\t") : std::string(1, fields_[0][other]);
      return ": its header is one column; if '" + shown + "' is between fields, set delimiter=" + shown + ".";
    }
    auto const nearest = NearestName(column, fields_);
    return nearest.empty() ? "; give one of the header's, or a number." : "; did you mean " + Quoted(nearest) + "?";
  }

  TextFile const& file_;
  std::vector<std::string> fields_;
  bool has_names_;
  std::vector<CsvRole> roles_;
};

template <typename Fn>
void ForEachName(std::string const& list, Fn&& fn) {
  for (std::size_t begin = 0; begin < list.size();) {
    auto const end = std::min(list.find(',', begin), list.size());
    fn(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Returns the elements of `all`, [n_fields], that belong to features.
std::vector<std::string> OfFeatures(std::vector<std::string> const& all, std::vector<CsvRole> const& roles) {
  std::vector<std::string> own;
  for (std::size_t field = 0; field < roles.size(); ++field) {
    if (roles[field] == CsvRole::kFeature) own.push_back(all[field]);
  }
  return own;
}

/// Refuses a file of one column whose fields seem to stand between other delimiters: it would be a column of names.
void RefuseOtherDelimiter(TextFile const& file, FirstLine const& first, CsvParam const& param) {
  auto const& content = first.content;
  if (content.fields.size() != 1 || !content.is_text[0] || content.is_quoted[0]) return;
  auto const& line = content.fields[0];
  auto const other = line.find_first_of(",;\t|");
  if (other == std::string::npos) return;
  auto const shown = line[other] == '\t' ? std::string("\\t") : std::string(1, line[other]);
  file.FailAtLine(first.line, "field 1, " + ShowText(line.data(), line.data() + line.size()) +
                                  ", is the whole line, as fields are not separated by '" + param.delimiter +
                                  "'; set delimiter=" + shown + ".");
}

}  // namespace

CsvFormat DetectCsvFormat(TextFile const& file, CsvParam const& param) {
  auto const first = FindFirstLine(file, param.Delimiter());
  if (!first.content.fault.empty()) file.FailAtLine(first.line, first.content.fault);
  auto const has_header = IsHeader(first, param);
  auto const& fields = first.content.fields;
  Columns columns(file, fields, has_header);
  columns.Give("label_column", param.label_column, CsvRole::kLabel);
  columns.Give("weight_column", param.weight_column, CsvRole::kWeight);
  columns.Give("qid_column", param.qid_column, CsvRole::kQuery);
  ForEachName(param.ignore_columns,
              [&](std::string const& name) { columns.Give("ignore_columns", name, CsvRole::kIgnored); });
  columns.RequireNames();
  auto const& roles = columns.Roles();
  CsvFormat format;
  format.roles = roles;
  format.texts.assign(roles.size(), CsvTexts::kRefused);
  if (has_header) format.fields = fields;
  format.delimiter = param.Delimiter();
  format.header_block = has_header ? first.block : -1;
  if (format.NumFeatures() == 0) Fail(ErrorKind::kData, file.Path(), " has rows but no features.");
  if (has_header) format.feature_names = OfFeatures(fields, roles);
  RefuseOtherDelimiter(file, first, param);
  format.first_block = first.block;
  format.line_without_header = has_header ? 0 : first.line;
  format.are_declared.assign(roles.size(), false);
  ForEachName(param.categorical_columns,
              [&](std::string const& name) { format.are_declared[columns.Find("categorical_columns", name)] = true; });
  if (!param.categorical_columns.empty()) SetCategorical(format.are_declared, &format);
  return format;
}

void SetCategorical(std::vector<bool> const& fields, CsvFormat* format) {
  auto& types = format->feature_types;
  types.resize(static_cast<std::size_t>(format->NumFeatures()), "q");
  std::size_t feature = 0;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (format->roles[field] != CsvRole::kFeature) continue;
    if (fields[field]) types[feature] = "c";
    ++feature;
  }
}

void RefuseTextInFirstLine(TextFile const& file, CsvFormat const& format) {
  std::vector<char> buffer;
  std::int64_t n_lines = 0;
  if (format.line_without_header == 0) return;
  auto const first = FindCsvFirstLine(file.ReadBlock(format.first_block, &buffer), format.delimiter, &n_lines);
  for (std::size_t field = 0; first && field < first->fields.size(); ++field) {
    auto const role = format.roles[field];
    auto const may_be_name = role == CsvRole::kIgnored || role == CsvRole::kLabel || format.are_declared[field];
    if (!first->is_text[field] || may_be_name) continue;
    auto const& text = first->fields[field];
    CsvText const wrong{static_cast<std::int64_t>(field), 0, ShowText(text.data(), text.data() + text.size())};
    file.FailAtLine(format.line_without_header, DescribeWrongText(format, wrong, format.line_without_header));
  }
}

}  // namespace kauri
