/// \file The one place that compares what a training asks for with what its parts declare, and refuses it if they
/// differ.
///
/// 1. Parameters, gradients, process ranks and data ask for features (kauri/capabilities.h).
/// 2. Each part of the training (booster, engine, tree method) must declare the features that concern it.
/// 3. No two features of the training may exclude each other, and a feature that needs another one must have it.
/// 4. The first conflict becomes the error. refusals.h has the words; where it has none, they are composed of what was
///    asked for, what refuses it, and the nearest part that does not.
#pragma once

#include <cstdint>
#include <string>

#include "booster/boosters/gbtree.h"
#include "booster/support/refusals.h"
#include "kauri/capabilities.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/objective.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Features that a round asks for, besides the features that its parameters ask for.
struct Request {
  FeatureSet features = {};
  QuotedValues words = {};  ///< values that the refusals of these features quote
};

/// The parts and the parameters of a training. Immutable, shared by threads.
class TrainingSupport {
 public:
  /// booster: a name of the registry. \throws Error(kParameter) for parameters that cannot be parsed.
  TrainingSupport(std::string const& booster, TrainingParams const& params, Device const& device);

  /// Checks the parameters together with `more`. \throws Error, of the kind that refusals.h has for the conflict.
  void Require(Request const& more) const;
  /// Checks the rows that the round trains on. loss: the objective of the round's gradients.
  /// \throws Error as Require.
  void RequireData(Request const& round, DataMatrix const& data, Objective const& loss, std::int64_t n_outputs) const;

 private:
  struct Role {
    TrainingPart part;
    std::string name;
    Capabilities const* supports;  ///< nullptr: the registry has no such part
  };

  void AddBuilding();
  void AddSplits();
  void AddGrowth();
  bool Updates() const;
  void CheckRole(Role const& role, FeatureSet asked, QuotedValues const& words) const;
  void CheckNeeds(FeatureSet asked, QuotedValues const& words) const;
  void CheckExclusions(FeatureSet asked, QuotedValues const& words) const;
  [[noreturn]] void FailLack(Role const& role, Feature feature, FeatureSet asked, QuotedValues const& more) const;
  [[noreturn]] void FailPair(Role const& role, FeaturePair const& pair, QuotedValues const& more) const;
  /// Returns the values of the parameters, and the values of `more`.
  QuotedValues AllWords(QuotedValues const& more) const;

  TrainingParams params_;
  GbTreeParam gbtree_;
  Device device_;
  TreeMethod method_;  ///< unset unless the booster builds trees
  Role booster_;
  Role engine_;
  bool builds_trees_ = false;
  FeatureSet asked_;  ///< features that the parameters ask for
};

}  // namespace kauri
