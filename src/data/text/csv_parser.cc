#include "data/text/csv_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "data/text/text_number.h"
#include "kauri/error.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(CsvParam);

namespace {

constexpr std::size_t kUsualFieldBytes = 8;  // estimate for memory reservations

constexpr std::string_view kMissing[] = {"#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan",
                                         "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL", "NaN",
                                         "None",   "n/a",      "nan",  "null",    "?",        ""};

bool IsMissing(std::string_view text) {
  return std::find(std::begin(kMissing), std::end(kMissing), text) != std::end(kMissing);
}

/// Reads one line, field by field.
class FieldReader {
 public:
  FieldReader(char const* begin, char const* end, char delimiter) : at_(begin), end_(end), delimiter_(delimiter) {}

  bool IsBlankLine() {
    SkipBlanks();
    return at_ == end_;
  }
  std::int64_t Number() const { return number_; }  ///< number of the latest field, from 1
  bool AtEnd() const { return at_ == nullptr; }
  bool IsQuoted() const { return closing_ != nullptr; }  ///< whether the latest field is quoted

  /// Reads a field and its delimiter. A missing value is NaN. \throws std::string for an unclosed quote.
  NumberStatus Next(float* value) {
    ++number_;
    *value = std::numeric_limits<float>::quiet_NaN();
    SkipBlanks();
    field_ = at_;
    closing_ = nullptr;
    auto status = NumberStatus::kOk;
    if (!AtFieldEnd()) {
      auto const parsed = ParseFloat(at_, end_);
      status = parsed.status;
      *value = parsed.value;
      at_ = parsed.end;
      SkipBlanks();
      if (!AtFieldEnd()) status = NumberStatus::kNotANumber;
    }
    if (status == NumberStatus::kNotANumber) status = FromText(value);
    Leave();
    return status;
  }
  std::string Shown() const {
    auto const text = Text();
    return ShowText(text.data(), text.data() + text.size());
  }
  /// Returns the text of the field, without surrounding blanks and quotes.
  std::string Text() const {
    if (closing_ != nullptr) return Unquoted();
    auto const* end = std::find(field_, end_, delimiter_);
    while (end != field_ && (end[-1] == ' ' || end[-1] == '\t')) --end;
    return {field_, end};
  }

 private:
  /// Reads a field that is not a plain number: a quoted field, a word for a missing value, or a name.
  NumberStatus FromText(float* value) {
    *value = std::numeric_limits<float>::quiet_NaN();
    if (*field_ == '"') FindClosingQuote();
    auto const text = Text();
    if (IsMissing(text)) return NumberStatus::kOk;
    auto const* const end = text.data() + text.size();
    auto const parsed = ParseFloat(text.data(), end);
    if (closing_ == nullptr || parsed.end != end) return NumberStatus::kNotANumber;
    *value = parsed.value;
    return parsed.status;
  }
  void FindClosingQuote() {
    auto const* p = field_ + 1;
    while (p != end_ && (*p != '"' || (p + 1 != end_ && p[1] == '"'))) p += *p == '"' ? 2 : 1;
    if (p == end_) {
      throw "field " + std::to_string(number_) +
          " begins with a quote that is not closed on its line; a field may not go on in the next line.";
    }
    closing_ = p;
    at_ = p + 1;
    SkipBlanks();
    if (!AtFieldEnd()) throw "field " + std::to_string(number_) + " has text after its closing quote.";
  }
  std::string Unquoted() const {
    std::string text;
    for (auto const* p = field_ + 1; p != closing_; ++p) {
      text += *p;
      if (*p == '"') ++p;  // a doubled quote
    }
    return text;
  }
  bool AtFieldEnd() const { return at_ == end_ || *at_ == delimiter_; }
  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t') && *at_ != delimiter_) ++at_;
  }
  void Leave() {
    if (!AtFieldEnd()) at_ = std::find(at_, end_, delimiter_);
    at_ = at_ == end_ ? nullptr : at_ + 1;
  }

  char const* at_;  ///< nullptr after the last field
  char const* end_;
  char const* field_ = nullptr;
  char const* closing_ = nullptr;  ///< the quote that ends the field; nullptr if the field is not quoted
  char delimiter_;
  std::int64_t number_ = 0;
};

std::string WrongField(FieldReader const& fields, std::string const& what) {
  return "field " + std::to_string(fields.Number()) + ", " + fields.Shown() + ", is " + what + ".";
}

/// Returns advice for a column that holds text.
std::string CureOfTexts(CsvFormat const& format, std::size_t column) {
  auto const name = format.fields.empty() ? std::to_string(column) : format.fields[column];
  auto const cure = "not a number; leave it empty where the value is missing";
  if (format.roles[column] == CsvRole::kLabel) {
    return cure +
           std::string(
               "; labels of text are classes, which the program and KauriBoosterReadData of the C interface read "
               "for a classification from a whole file. A cache after '#', DMatrix of the Python package and "
               "XGDMatrixCreateFromURI take numbers: number the classes from 0 in the file, or give a frame and "
               "its labels to KauriClassifier");
  }
  if (format.roles[column] != CsvRole::kFeature) return cure;
  if (format.are_declared[column]) {
    return "a name; names of categories need the whole file, so leave out the cache after '#'";
  }
  if (format.texts[column] == CsvTexts::kRefused) {
    return cure + std::string(", or give ignore_columns=") + name +
           " to leave the column out; texts are categories only if the whole file is read, without the cache after '#'";
  }
  return cure + std::string(", or give categorical_columns=") + name +
         " where texts are categories, or ignore_columns=" + name + " to leave the column out";
}

std::string CureInFirstLine(CsvFormat const& format, std::int64_t field) {
  auto const delimiter = format.delimiter == '\t' ? std::string("\\t") : std::string(1, format.delimiter);
  return "not a number. If this line is a header, set header=true; if fields are not separated by '" + delimiter +
         "', set delimiter; if texts are categories, give categorical_columns=" + std::to_string(field);
}

void CheckField(FieldReader const& fields, NumberStatus status, CsvFormat const& format) {
  switch (status) {
    case NumberStatus::kOk:
      return;
    case NumberStatus::kNotANumber:
      throw WrongField(fields, CureOfTexts(format, static_cast<std::size_t>(fields.Number() - 1)));
    case NumberStatus::kInfinite:
      throw WrongField(fields, "infinite; values must be finite");
    case NumberStatus::kTooLarge:
      throw WrongField(fields, "too large for float32; scale the column");
  }
}

/// The largest n such that float32 represents all integers up to it.
constexpr float kMostQueryId = 16'777'216.0F;

std::int64_t QueryId(FieldReader const& fields, float value) {
  if (!(value >= 0.0F && value <= kMostQueryId) || value != std::floor(value)) {
    throw WrongField(fields, "the query; queries must be whole numbers from 0 to 16777216");
  }
  return static_cast<std::int64_t>(value);
}

void Keep(FieldReader const& fields, CsvRole role, float value, CsvRows* rows) {
  switch (role) {
    case CsvRole::kFeature:
      rows->values.push_back(value);
      break;
    case CsvRole::kLabel:
      if (std::isnan(value)) throw WrongField(fields, "the label; labels must be given");
      rows->labels.push_back(value);
      break;
    case CsvRole::kWeight:
      if (!(value >= 0.0F)) throw WrongField(fields, "the weight; weights must be numbers of at least 0");
      rows->weights.push_back(value);
      break;
    case CsvRole::kQuery:
      rows->query_ids.push_back(QueryId(fields, value));
      if (rows->query_ids.size() > 1 && rows->query_ids.back() < rows->query_ids[rows->query_ids.size() - 2]) {
        throw WrongField(fields, "a smaller query than in the row before; sort the rows by query");
      }
      break;
    case CsvRole::kIgnored:
      break;
  }
}

/// Returns the value of a field in a column that may hold names.
float NameOrNumber(FieldReader const& fields, CsvTexts texts, NumberStatus status, float value, CsvRows* rows) {
  auto const field = fields.Number() - 1;
  if (texts == CsvTexts::kNames) {
    auto const is_missing = std::isnan(value) && status == NumberStatus::kOk;
    return is_missing ? value : rows->dictionaries[static_cast<std::size_t>(field)].Code(fields.Text());
  }
  auto& found = rows->first_texts;
  auto const is_before = [](CsvText const& text, std::int64_t other) { return text.field < other; };
  auto const place = std::lower_bound(found.begin(), found.end(), field, is_before);
  if (place == found.end() || place->field != field) found.insert(place, {field, rows->n_lines, fields.Shown()});
  return 0.0F;  // the column is read again later
}

/// Parses one line. Reports errors by throwing a std::string.
void ParseLine(FieldReader fields, CsvFormat const& format, CsvRows* rows) {
  auto const n_fields = format.NumFields();
  while (!fields.AtEnd()) {
    auto value = 0.0F;
    auto const status = fields.Next(&value);
    auto const column = fields.Number() - 1;
    if (column >= n_fields) continue;  // counted below
    auto const role = format.roles[static_cast<std::size_t>(column)];
    auto const texts = format.texts[static_cast<std::size_t>(column)];
    auto const may_be_name = texts == CsvTexts::kNames || status == NumberStatus::kNotANumber;
    if (texts != CsvTexts::kRefused && may_be_name) {
      value = NameOrNumber(fields, texts, status, value, rows);
    } else if (role != CsvRole::kIgnored) {
      CheckField(fields, status, format);
    }
    Keep(fields, role, value, rows);
  }
  if (fields.Number() != n_fields) {
    throw "the line has " + std::to_string(fields.Number()) + " fields, but the first line has " +
        std::to_string(n_fields) + ".";
  }
  ++rows->n_rows;
}

}  // namespace

void CsvParam::Validate() const {
  if (delimiter != "\\t" && (delimiter.size() != 1 || std::strchr("0123456789+-.eE\"\r\n", delimiter[0]) != nullptr)) {
    Fail(ErrorKind::kParameter, "delimiter '", delimiter,
         "' is not valid; it must be one character that is not part of numbers.");
  }
}

std::int64_t CsvFormat::NumFeatures() const { return std::count(roles.begin(), roles.end(), CsvRole::kFeature); }

bool CsvFormat::Has(CsvRole role) const { return std::find(roles.begin(), roles.end(), role) != roles.end(); }

bool IsNumber(std::string const& text) {
  auto const* const end = text.data() + text.size();
  auto const parsed = ParseFloat(text.data(), end);
  return parsed.end == end && parsed.status != NumberStatus::kNotANumber;
}

std::string DescribeWrongText(CsvFormat const& format, CsvText const& text, std::int64_t line) {
  auto const is_in_first = line > 0 && line == format.line_without_header;
  auto const cure =
      is_in_first ? CureInFirstLine(format, text.field) : CureOfTexts(format, static_cast<std::size_t>(text.field));
  return "field " + std::to_string(text.field + 1) + ", " + text.shown + ", is " + cure + ".";
}

std::optional<CsvFirstLine> FindCsvFirstLine(Span<char const> text, char delimiter, std::int64_t* n_lines) {
  std::optional<CsvFirstLine> first;
  *n_lines = ForEachLine(text, [&](char const* begin, char const* end, std::int64_t line) {
    FieldReader fields(begin, end, delimiter);
    if (first || fields.IsBlankLine()) return;
    first.emplace();
    first->line = line;
    try {
      while (!fields.AtEnd()) {
        auto value = 0.0F;
        auto const status = fields.Next(&value);
        first->fields.push_back(fields.Text());
        first->is_text.push_back(status == NumberStatus::kNotANumber);
        first->is_quoted.push_back(fields.IsQuoted());
        if (!first->is_text.back() && !IsMissing(first->fields.back())) ++first->n_numbers;
      }
    } catch (std::string const& fault) {
      first->fault = fault;
    }
  });
  return first;
}

std::optional<LineFault> ParseCsvText(Span<char const> text, std::int64_t block, CsvFormat const& format,
                                      CsvRows* rows) {
  auto before_header = block == format.header_block;
  rows->values.reserve(text.size() / kUsualFieldBytes);
  auto const has_names = std::find(format.texts.begin(), format.texts.end(), CsvTexts::kNames) != format.texts.end();
  if (has_names) rows->dictionaries.resize(format.roles.size());
  try {
    ForEachLine(text, [&](char const* begin, char const* end, std::int64_t line) {
      rows->n_lines = line;
      FieldReader const fields(begin, end, format.delimiter);
      if (FieldReader(fields).IsBlankLine()) return;
      if (!std::exchange(before_header, false)) ParseLine(fields, format, rows);
    });
  } catch (std::string const& message) {
    return LineFault{rows->n_lines, message};
  }
  return std::nullopt;
}

}  // namespace kauri
