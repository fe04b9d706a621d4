/// \file Text data of any bytes. The result must be consistent rows, or an error with its line. The first byte chooses
/// the format.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "data/text/csv_parser.h"
#include "data/text/libsvm_parser.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

void RequireLine(kauri::LineFault const& fault) { Require(fault.line > 0 && !fault.message.empty()); }

void RequireRows(kauri::LibsvmFormat const& format, kauri::LibsvmRows const& rows) {
  auto const n_rows = rows.labels.size();
  Require(rows.row_ends.size() == n_rows && rows.features.size() == rows.values.size());
  Require(rows.weights.size() == (format.has_weights ? n_rows : 0));
  Require(rows.query_ids.size() == (format.has_queries ? n_rows : 0));
  std::size_t entry = 0;
  for (auto const end : rows.row_ends) {
    for (auto const first = entry; entry < static_cast<std::size_t>(end); ++entry) {
      Require(std::isfinite(rows.values[entry]) && rows.features[entry] <= rows.largest_feature);
      Require(entry == first || rows.features[entry - 1] < rows.features[entry]);
    }
  }
  Require(entry == rows.features.size());
}

void ParseLibsvm(kauri::Span<char const> text, std::int64_t first_index) {
  auto format = kauri::DetectLibsvmFormat(text);
  if (!format) return;
  format->first_index = first_index;
  kauri::LibsvmRows rows;
  if (auto const fault = kauri::ParseLibsvmText(text, *format, &rows)) {
    RequireLine(*fault);
  } else {
    RequireRows(*format, rows);
  }
}

void ParseCsv(kauri::Span<char const> text, char delimiter, kauri::CsvRole role, bool has_header,
              kauri::CsvTexts texts) {
  std::int64_t n_lines = 0;
  auto const first = kauri::FindCsvFirstLine(text, delimiter, &n_lines);
  if (!first) return;
  Require(first->line <= n_lines && first->is_text.size() <= first->fields.size());
  if (!first->fault.empty()) return;
  Require(!first->fields.empty() && first->is_text.size() == first->fields.size());
  auto const n_fields = static_cast<std::int64_t>(first->fields.size());
  Require(first->n_numbers <= n_fields);
  kauri::CsvFormat format;
  format.roles.assign(first->fields.size(), kauri::CsvRole::kFeature);
  format.roles[0] = role;
  format.texts.assign(first->fields.size(), texts);
  format.are_declared.assign(first->fields.size(), false);
  format.delimiter = delimiter;
  format.header_block = has_header ? 0 : -1;
  kauri::CsvRows rows;
  if (auto const fault = kauri::ParseCsvText(text, 0, format, &rows)) {
    RequireLine(*fault);
    return;
  }
  Require(rows.n_lines == n_lines && (has_header || rows.n_rows > 0));
  auto const& is_text = first->is_text;
  auto const has_text = std::find(is_text.begin(), is_text.end(), true) != is_text.end();
  auto const takes_texts = texts != kauri::CsvTexts::kRefused || role == kauri::CsvRole::kIgnored;
  Require(has_header || takes_texts || !has_text);
  Require(static_cast<std::int64_t>(rows.values.size()) == rows.n_rows * format.NumFeatures());
  Require(std::is_sorted(rows.query_ids.begin(), rows.query_ids.end()));
  for (auto const value : rows.values) Require(!std::isinf(value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  kauri::Span<char const> const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    ParseLibsvm(text, data[0] / 2 % 2);
  } else {
    ParseCsv(text, ",;\t "[data[0] / 2 % 4], static_cast<kauri::CsvRole>(data[0] / 8 % 5), data[0] / 64 % 2 == 1,
             data[0] / 128 == 1 ? kauri::CsvTexts::kNames : kauri::CsvTexts::kRefused);
  }
  return 0;
}
