/// \file Lines of `label[:weight] [qid:n] index:value ...`, separated by blanks; `#` starts a comment.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "data/text/text_lines.h"
#include "kauri/span.h"

namespace kauri {

struct LibsvmParam : public dmlc::Parameter<LibsvmParam> {
  int indexing_mode;

  DMLC_DECLARE_PARAMETER(LibsvmParam) {
    DMLC_DECLARE_FIELD(indexing_mode)
        .set_default(0)
        .set_range(-1, 1)
        .describe("Number of the first feature: 0 or 1; -1 takes 1 when no line has a feature 0.");
  }
  void Validate() const {}
};

/// Properties of the first row that hold for all rows.
struct LibsvmFormat {
  bool has_weights = false;
  bool has_queries = false;
  std::int64_t first_index = 0;  ///< the smallest feature number allowed
};

/// Rows of a text, in its order. Feature numbers are stored as written.
struct LibsvmRows {
  std::vector<float> labels;                  ///< [n_rows]
  std::vector<float> weights;                 ///< [n_rows] or empty
  std::vector<std::int64_t> query_ids;        ///< [n_rows] or empty
  std::vector<std::int64_t> row_ends;         ///< [n_rows], ends among the entries
  std::vector<std::uint32_t> features;        ///< [n_entries], ascending in a row
  std::vector<float> values;                  ///< [n_entries], finite
  std::int64_t smallest_feature = INT64_MAX;  ///< over all entries, present or NaN
  std::int64_t largest_feature = -1;
  std::int64_t first_row_line = 0;  ///< from 1
  std::int64_t n_lines = 0;
};

/// Returns the format of the first row of a text; nothing if there are no rows or if that row is malformed.
std::optional<LibsvmFormat> DetectLibsvmFormat(Span<char const> text);

/// Parses the lines of a text. Returns the error of the first wrong line. NaN values are left out.
std::optional<LineFault> ParseLibsvmText(Span<char const> text, LibsvmFormat const& format, LibsvmRows* rows);

}  // namespace kauri
