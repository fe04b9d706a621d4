/// \file Numbers as text, independent of the locale.
#pragma once

#include <cstddef>
#include <string>

namespace kauri::model_io {

constexpr std::size_t kFloatTextBytes = 16;  ///< the longest: -1.17549435E-38

/// The shortest text that reads back as `value`, as XGBoost writes it in model files: 5E-1, 1.5E0, -0E0, NaN,
/// -Infinity. Writes at most kFloatTextBytes to `out`. \returns the end of what was written.
char* WriteFloat(float value, char* out);
std::string FloatText(float value);

/// With up to nine significant digits, as printf's %.9g in the C locale: what dumps show.
std::string NineDigits(float value);

/// With up to six significant digits, as %g: what dumps of linear models show.
std::string SixDigits(float value);

/// \returns false unless all of `text` (blanks around it allowed) is one finite number.
bool ParseFloat(std::string const& text, float* out);

}  // namespace kauri::model_io
