/// \file The parameters of a booster: set one by one, then resolved to components, once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "booster/components.h"
#include "common/client.h"
#include "kauri/model.h"

namespace kauri {

/// Who says what a parameter is.
enum class GivenBy { kUser, kDocument };

class Configuration {
 public:
  explicit Configuration(Client const& client = Client()) { settings_.client = client; }
  /// The same settings, not resolved yet.
  Configuration(Configuration const& other);
  Configuration& operator=(Configuration const&) = delete;

  /// Takes effect when the parameters are resolved next. A name with several values (eval_metric) may be set
  /// repeatedly. The log has notes for users alone. Returns the parameter's own name; empty: it is one that changes no
  /// result.
  ///
  /// A user who gives one parameter two values under two of its names, before the parameters are used, has made a
  /// mistake that Resolve() reports. Setting the parameter once more settles it. Between two uses the later setting
  /// counts, whatever name it has, so that a parameter can be changed under any of its names.
  std::string Set(std::string const& name, std::string const& value, GivenBy whom = GivenBy::kUser);
  /// Rounds and evaluations are of its ranks from now on; null: of this process alone.
  void SetCollective(std::shared_ptr<Collective> collective);
  /// XGBoost's rule: the objective's metric, once it was computed, stays in front of metrics that are set later.
  void KeepDefaultMetric();
  /// Ends a group of parameters that were given together: parameters that are set from now on may change them under
  /// their other names. \throws Error(kParameter) where two names of one parameter were given different values.
  void Settle();
  /// Takes the parameters of a loaded model; they hold where the user sets nothing, before or after.
  void TakeFrom(Model const& loaded);
  /// After the parameters of a copy were set: those in `of_model` are its model's, not the user's. What there is to
  /// warn of was said where they were set.
  void Restore(ParamMap of_model);
  /// Whether the model begins from the base score that was set, if one was.
  bool AgreesWithBaseScore(Model const& model) const;
  /// Drops from `of_model` what this learner's own model says.
  void RemoveKnown(ParamMap* of_model) const;
  Client const& GetClient() const { return settings_.client; }
  /// Immutable, and the same until something is set. Safe from many threads. \throws as MakeComponents.
  std::shared_ptr<Components const> Resolve() const;

 private:
  /// After Restore: what there is to warn of was said, but not of what is set next.
  void ResolveQuietly() const;
  /// A parameter as the user set it since the parameters were used last.
  struct Given {
    std::string name;
    std::string value;
    std::string conflict;  ///< what is wrong; empty: nothing
  };

  void NoteGiven(std::string const& own_name, std::string const& name, std::string const& value);
  void ReportConflicts() const;

  mutable std::mutex mutex_;                              ///< guards what is below
  mutable std::map<std::string, Given> given_;            ///< by a parameter's own name
  mutable Settings settings_;                             ///< resolving drops notes and what it refuses
  mutable std::shared_ptr<Components const> components_;  ///< nullptr: not resolved
};

}  // namespace kauri
