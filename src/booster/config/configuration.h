/// \file The parameters of a booster: set one by one, then resolved once to components.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "booster/config/client.h"
#include "booster/config/components.h"
#include "kauri/model.h"

namespace kauri {

/// Origin of a parameter's value.
enum class GivenBy { kUser, kDocument };

class Configuration {
 public:
  explicit Configuration(Client const& client = Client()) { settings_.client = client; }
  /// Copies the settings; the copy is not resolved yet.
  Configuration(Configuration const& other);
  Configuration& operator=(Configuration const&) = delete;

  /// Sets a parameter, from the next Resolve() on. A name with several values (eval_metric) may be set repeatedly. Only
  /// values given by users are commented on in the log. Returns the parameter's own name, or an empty string for a
  /// parameter that changes no result.
  ///
  /// A user who gives one parameter two values under two of its names, before the parameters are used, has made a
  /// mistake that Resolve() reports. Setting the parameter once more settles it. Between two uses the later setting
  /// counts, whatever name it has, so that a parameter can be changed under any of its names.
  std::string Set(std::string const& name, std::string const& value, GivenBy whom = GivenBy::kUser);
  /// Makes later rounds and evaluations run over the ranks of `collective`; null: in this process alone.
  void SetCollective(std::shared_ptr<Collective> collective);
  /// Keeps the objective's own metric, once it was computed, before metrics that are set later (XGBoost's rule).
  void KeepDefaultMetric();
  /// Ends a group of parameters that were given together: parameters that are set from now on may change them under
  /// their other names. \throws Error(kParameter) where two names of one parameter were given different values.
  void Settle();
  /// Takes the parameters of a loaded model; they apply unless the user sets them, before or after.
  void TakeFrom(Model const& loaded);
  /// Completes a copy whose parameters were set: `of_model` holds its model's parameters, not the user's. Warnings were
  /// already logged where the parameters were set first.
  void Restore(ParamMap of_model);
  /// Returns whether the model has the base score that was set; true if none was set.
  bool AgreesWithBaseScore(Model const& model) const;
  /// Says in the log, with the next use of the parameters, if the base score that was set takes the place of a model's.
  void NoteBaseScore(Model const& model);
  /// Removes from `of_model` the entries that this learner's own model has as well.
  void RemoveKnown(ParamMap* of_model) const;
  Client const& GetClient() const { return settings_.client; }
  /// Returns the components, which are immutable and shared until a parameter is set. Safe from many threads. \throws
  /// as MakeComponents.
  std::shared_ptr<Components const> Resolve() const;

 private:
  /// Resolves without warnings after Restore(), because they were logged before. Later settings warn again.
  void ResolveQuietly() const;
  /// A parameter set by the user since the parameters were last resolved.
  struct Given {
    std::string name;
    std::string value;
    std::string conflict;  ///< message of a conflict; empty: none
  };

  void NoteGiven(std::string const& own_name, std::string const& name, std::string const& value);
  void ReportConflicts() const;

  mutable std::mutex mutex_;                              ///< guards the members below
  mutable std::map<std::string, Given> given_;            ///< by a parameter's own name
  mutable Settings settings_;                             ///< Resolve() removes notes and refused parameters
  mutable std::shared_ptr<Components const> components_;  ///< nullptr: not resolved
};

}  // namespace kauri
