/// \file Checks of parameters that the chosen components do not read, and adaptation of XGBoost's parameters that Kauri
/// does not need.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kauri/parameter.h"

namespace kauri {

/// A parameter translated to Kauri's names.
struct AdaptedParameter {
  std::string name;   ///< canonical; empty: nothing to set
  std::string value;  ///< as given unless `note` says otherwise
  std::string note;   ///< a sentence for the log, mostly empty
};

/// Resolves aliases of names and values, and drops parameters that change no result.
AdaptedParameter AdaptParameter(std::string const& name, std::string const& value);

/// Returns the aliases of a parameter, given by its own name: learning_rate for eta.
std::vector<std::string> AliasesOf(std::string const& own_name);

/// Returns whether the parameter is known: some component declares it, or it is accepted without effect.
bool IsKnownParameter(std::string const& name);

/// Returns whether only training reads a parameter, given by its own name: boosters, tree methods or updaters declare
/// it, and no component of prediction, explanation or evaluation does.
bool IsReadByTrainingAlone(std::string const& own_name);

/// Treatment of unknown names. They are removed in any case: no value of them is valid, so keeping one would make every
/// later call fail, or warn again.
enum class UnknownNames { kFail, kWarn, kDrop };

/// Removes unknown names from `params`. \throws Error(kParameter) for an unknown name if `unknown` is kFail.
void CheckNames(UnknownNames unknown, ParamMap* params);

/// Checks parameters that neither `booster` nor `objective` reads: some component that declares them must accept the
/// value. \throws Error(kParameter).
void CheckUnusedValues(std::string const& booster, std::string const& objective, ParamMap const& params);

/// Lists the parameters that only boosters of the other kind (trees or linear) read, in quotes and by the user's names.
/// Each is listed once: `named` holds the parameters already listed.
std::string ListUnread(std::string const& booster, ParamMap const& params, ParamMap const& given_names,
                       std::set<std::string>* named);

}  // namespace kauri
