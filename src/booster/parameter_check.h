/// \file What is checked of parameters besides what the chosen components read, and what XGBoost takes and Kauri need
/// not.
#pragma once

#include <set>
#include <string>

#include "kauri/parameter.h"

namespace kauri {

/// A parameter in Kauri's words.
struct AdaptedParameter {
  std::string name;   ///< canonical; empty: there is nothing to set
  std::string value;  ///< as given unless `note` says otherwise
  std::string note;   ///< a sentence for the log, mostly empty
};

/// Resolves aliases, of names and of values, and leaves out what would change no result.
AdaptedParameter AdaptParameter(std::string const& name, std::string const& value);

/// Whether some component, or nothing more, takes a parameter of that name.
bool IsKnownParameter(std::string const& name);

/// Whether only training reads a parameter, by its own name: boosters, tree methods and updaters declare it, and
/// nothing that a model predicts, explains or is evaluated with does.
bool IsReadByTrainingAlone(std::string const& own_name);

/// What becomes of unknown names besides that they leave the parameters: they have no right value, so keeping one would
/// make every later call fail, or warn again.
enum class UnknownNames { kFail, kWarn, kDrop };

/// \throws Error(kParameter) where unknown names are to fail.
void CheckNames(UnknownNames unknown, ParamMap* params);

/// Values of parameters that neither `booster` nor `objective` reads must fit a component that does.
/// \throws Error(kParameter).
void CheckUnusedValues(std::string const& booster, std::string const& objective, ParamMap const& params);

/// Lists the parameters that only boosters of the other kind, of trees or linear, read, in quotes and by the names that
/// the user gave them. Each is listed once: `named` holds those that were.
std::string ListUnread(std::string const& booster, ParamMap const& params, ParamMap const& given_names,
                       std::set<std::string>* named);

}  // namespace kauri
