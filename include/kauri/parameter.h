/// \file Declared parameters: one dmlc::Parameter struct per component, read from text here and
/// nowhere else.
///
/// This header adds what dmlc lacks: NaN is refused; errors name the key, the value and the bounds instead of printing
/// the whole table; unknown names get a suggestion.
#pragma once

#include <dmlc/parameter.h>

#include <map>
#include <string>
#include <vector>

namespace kauri {

/// Parameters as they arrive: name -> text.
using ParamMap = std::map<std::string, std::string>;

/// One declared parameter, for --help and for checks.
struct ParameterInfo {
  std::string name;
  std::string type;           ///< float, int, string, boolean, or the allowed words in braces
  std::string default_value;  ///< as text; empty: required or an empty string
  std::string bounds;         ///< "[0, 1]", ">= 0", or empty: none
  std::string description;
};
using ParameterTable = std::vector<ParameterInfo>;

/// Registers a declared struct in a header, where DMLC_REGISTER_PARAMETER would define it in every file.
#define KAURI_REGISTER_PARAMETER(P)                              \
  inline ::dmlc::parameter::ParamManager* P::__MANAGER__() {     \
    static ::dmlc::parameter::ParamManagerSingleton<P> made(#P); \
    return &made.manager;                                        \
  }

namespace detail {
void SetDeclaredFields(dmlc::parameter::ParamManager const& manager, void* head, ParamMap const& map);
ParameterTable DescribeFields(dmlc::parameter::ParamManager const& manager);
}  // namespace detail

/// Reads the keys that P declares (aliases included) from `map` and ignores others. P has a `void Validate() const` for
/// cross-field rules and open bounds. \throws Error(kParameter).
template <typename P>
P ParseParameters(ParamMap const& map) {
  P param;
  param.Init(std::map<std::string, std::string>());
  detail::SetDeclaredFields(*P::__MANAGER__(), &param, map);
  param.Validate();
  return param;
}

template <typename P>
ParameterTable DescribeParameters() {
  return detail::DescribeFields(*P::__MANAGER__());
}

/// Returns the candidate with the smallest edit distance to `name`, or empty when none is near.
std::string NearestName(std::string const& name, std::vector<std::string> const& candidates);

}  // namespace kauri
