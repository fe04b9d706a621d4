/// \file Several numbers as the text of one parameter.
#pragma once

#include <string>
#include <vector>

namespace kauri {

/// "0.5", "[0.1, 0.9]" or "(0.1, 0.9)"; "[]" and nothing: none. False unless all of the text is finite numbers.
bool ParseNumbers(std::string const& text, std::vector<float>* out);

/// As model files hold them: [1E-1,9E-1], each the shortest text that reads back as the number.
std::string NumbersText(std::vector<float> const& numbers);

}  // namespace kauri
