/// \file Registries: one per role, a plain value with a table of names (design D2).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kauri/error.h"
#include "kauri/parameter.h"

namespace kauri {

class TreeBuilder;
class Predictor;
class Objective;
class Metric;
class Booster;
class Engine;
class DataMatrix;
struct Context;

/// A table from name to factory. A second registration of a name and an unknown name are errors.
template <typename Factory>
class Registry {
 public:
  struct Entry {
    std::string name;
    std::string description;
    Factory make;
    ParameterTable (*parameters)() = nullptr;  ///< what this component declares; nullptr: nothing
  };

  explicit Registry(std::string role) : role_(std::move(role)) {}

  void Add(Entry entry) {
    if (TryFind(entry.name) != nullptr) Fail(ErrorKind::kInternal, role_, " '", entry.name, "' is registered twice");
    entries_.push_back(std::move(entry));
  }
  Entry const* TryFind(std::string const& name) const {
    for (auto const& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  /// \throws Error(kParameter) that lists the known names and the nearest.
  Entry const& Find(std::string const& name) const {
    if (auto const* entry = TryFind(name)) return *entry;
    std::string known;
    for (auto const& entry : entries_) known += (known.empty() ? "" : ", ") + entry.name;
    auto const nearest = NearestName(name, Names());
    Fail(ErrorKind::kParameter, "unknown ", role_, " '", name, "'",
         nearest.empty() ? "" : "; did you mean '" + nearest + "'?", " Known: ", known, ".");
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (auto const& entry : entries_) names.push_back(entry.name);
    return names;
  }
  std::vector<Entry> const& Entries() const { return entries_; }

 private:
  std::string role_;
  std::vector<Entry> entries_;
};

/// Factories read their own parameters from the map.
using TreeBuilderFactory = std::function<std::unique_ptr<TreeBuilder>(ParamMap const&)>;
using PredictorFactory = std::function<std::unique_ptr<Predictor>(ParamMap const&)>;
using ObjectiveFactory = std::function<std::unique_ptr<Objective>(ParamMap const&)>;
/// `argument` is what follows '@' in the metric's name, empty without one: error@0.7.
using MetricFactory = std::function<std::unique_ptr<Metric>(std::string const& argument, ParamMap const&)>;
using BoosterFactory = std::function<std::unique_ptr<Booster>(ParamMap const&)>;
using EngineFactory = std::function<std::unique_ptr<Engine>()>;
using ReaderFactory =
    std::function<std::unique_ptr<DataMatrix>(Context const&, std::string const& path, ParamMap const&)>;

struct Registries {
  Registry<TreeBuilderFactory> tree_methods{"tree_method"};
  Registry<PredictorFactory> predictors{"predictor"};
  Registry<ObjectiveFactory> objectives{"objective"};
  Registry<MetricFactory> metrics{"metric"};
  Registry<BoosterFactory> boosters{"booster"};
  Registry<EngineFactory> engines{"engine"};
  Registry<ReaderFactory> readers{"data format"};
};

/// The table of contents, src/registry.cc; filled on first use. A plug-in adds its entries when it is loaded.
Registries& GetRegistries();

}  // namespace kauri
