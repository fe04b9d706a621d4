/// \file Registries: one per role, a plain value with a table of names.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kauri/capabilities.h"
#include "kauri/error.h"
#include "kauri/parameter.h"

namespace kauri {

class TreeBuilder;
class Predictor;
class Objective;
class Metric;
class TreeUpdater;
class Booster;
class Engine;
class DataMatrix;
class DeviceMemory;
class SketchMethod;
class ErrorSketch;
struct Context;
struct TrainingParams;
struct TreeParam;

/// A table from name to factory. A second registration of a name and an unknown name are errors. Thread-safe: a plug-in
/// may add its entries while other threads look names up. Entries never move.
template <typename Factory>
class Registry {
 public:
  struct Entry {
    std::string name;
    std::string description;
    Factory make;
    ParameterTable (*parameters)() = nullptr;  ///< parameters that this component declares; nullptr: none
    Capabilities supports = {};                ///< features that a booster, tree method or engine supports
    /// A booster's defaults of parameters that other components declare. They apply where the user sets none.
    ParamMap defaults = {};
  };

  explicit Registry(std::string role) : role_(std::move(role)) {}

  void Add(Entry entry) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (Search(entry.name) != nullptr) Fail(ErrorKind::kInternal, role_, " '", entry.name, "' is registered twice");
    entries_.push_back(std::move(entry));
  }
  /// Removes all entries. Nobody may hold one.
  void Clear() {
    std::lock_guard<std::mutex> const lock(mutex_);
    entries_.clear();
  }
  Entry const* TryFind(std::string const& name) const {
    std::lock_guard<std::mutex> const lock(mutex_);
    return Search(name);
  }
  /// Returns the entry of a name. \throws Error(kParameter), which lists the known names and the nearest.
  Entry const& Find(std::string const& name) const {
    if (auto const* entry = TryFind(name)) return *entry;
    std::string known;
    auto const names = Names();
    for (auto const& other : names) known += (known.empty() ? "" : ", ") + other;
    auto const nearest = NearestName(name, names);
    Fail(ErrorKind::kParameter, "Unknown ", role_, " '", name, "'",
         nearest.empty() ? "." : "; did you mean '" + nearest + "'?", " Known: ", known, ".");
  }
  std::vector<std::string> Names() const {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::vector<std::string> names;
    for (auto const& entry : entries_) names.push_back(entry.name);
    return names;
  }
  /// Returns a copy of the present entries.
  std::vector<Entry> Entries() const {
    std::lock_guard<std::mutex> const lock(mutex_);
    return {entries_.begin(), entries_.end()};
  }

 private:
  Entry const* Search(std::string const& name) const {
    for (auto const& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  std::string role_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

/// Factories of boosters, tree methods and updaters receive the parameters of trees parsed (kauri/tree_param.h). Each
/// factory reads its own parameters from the map.
using TreeBuilderFactory = std::function<std::unique_ptr<TreeBuilder>(TrainingParams const&)>;
using TreeUpdaterFactory = std::function<std::unique_ptr<TreeUpdater>(TrainingParams const&)>;
using BoosterFactory = std::function<std::unique_ptr<Booster>(TrainingParams const&)>;
using PredictorFactory = std::function<std::unique_ptr<Predictor>(ParamMap const&)>;
using ObjectiveFactory = std::function<std::unique_ptr<Objective>(ParamMap const&)>;
/// `argument` is the text after '@' in the metric's name, empty without one: error@0.7.
using MetricFactory = std::function<std::unique_ptr<Metric>(std::string const& argument, ParamMap const&)>;
using EngineFactory = std::function<std::unique_ptr<Engine>()>;
using DeviceMemoryFactory = std::function<std::unique_ptr<DeviceMemory>()>;
using ReaderFactory =
    std::function<std::unique_ptr<DataMatrix>(Context const&, std::string const& path, ParamMap const&)>;

using SketchFactory = std::function<std::shared_ptr<SketchMethod const>(TreeParam const&)>;
/// Returns null unless the parameters choose the sketch.
using ErrorSketchFactory = std::function<std::shared_ptr<ErrorSketch const>(ParamMap const&)>;
struct Model;
/// Returns whether a model, which is gbtree's in a file, may be the booster's.
using ModelCheck = std::function<bool(Model const&)>;

/// Return registries that the data and tree folders read without the others. GetRegistries() completes them.
Registry<SketchFactory>& SketchRegistry();
Registry<ErrorSketchFactory>& ErrorSketchRegistry();

struct Registries {
  Registry<TreeBuilderFactory> tree_methods{"tree_method"};
  Registry<TreeUpdaterFactory> tree_updaters{"updater"};
  Registry<PredictorFactory> predictors{"predictor"};
  Registry<ObjectiveFactory> objectives{"objective function"};
  Registry<MetricFactory> metrics{"metric function"};
  Registry<BoosterFactory> boosters{"booster"};
  Registry<EngineFactory> engines{"engine"};
  Registry<ReaderFactory> readers{"data format"};
  Registry<DeviceMemoryFactory> device_memories{"device memory"};
  Registry<SketchFactory>& sketches = SketchRegistry();
  Registry<ErrorSketchFactory>& error_sketches = ErrorSketchRegistry();
  /// Boosters whose models are gbtree's in a file; the attribute kauri_booster has their names.
  Registry<ModelCheck> boosters_in_attributes{"booster of an attribute"};
};

/// Returns the registries, which src/registry.cc fills on first use. A plug-in adds its entries when it is loaded.
Registries& GetRegistries();

}  // namespace kauri
