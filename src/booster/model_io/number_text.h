/// \file Numbers as text, independent of the locale.
#pragma once

#include <cstddef>
#include <string>

namespace kauri::model_io {

constexpr std::size_t kFloatTextBytes = 16;  ///< the longest text is -1.17549435E-38

/// Writes the shortest text that reads back as `value`, as XGBoost does in model files: 5E-1, 1.5E0, -0E0, NaN,
/// -Infinity. Writes at most kFloatTextBytes to `out`. \returns the end of the text.
char* WriteFloat(float value, char* out);
std::string FloatText(float value);

/// Formats a number of a dump with up to nine significant digits, as printf's %.9g in the C locale.
std::string NineDigits(float value);

/// Formats a number of a linear model's dump with up to six significant digits, as %g.
std::string SixDigits(float value);

/// Parses a finite number. \returns false unless all of `text` is one; surrounding blanks are allowed.
bool ParseFloat(std::string const& text, float* out);

}  // namespace kauri::model_io
