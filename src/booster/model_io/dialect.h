/// \file Dialects: the forms of model files that the versions of XGBoost write, and the properties of models that these
/// files cannot store.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kauri/model.h"

namespace kauri {

/// The version of XGBoost whose files are written. If none is chosen, files are in the form of 3.2, and may also store
/// what only later versions know.
struct ModelDialect {
  std::int64_t major = 3;
  std::int64_t minor = 2;
  bool is_chosen = false;
  std::int64_t patch = 0;

  bool IsSince(std::int64_t since_major, std::int64_t since_minor) const {
    return major != since_major ? major > since_major : minor >= since_minor;
  }
};

/// Parses "1.7", "2.1", "3.0", "3.2" or "3.4"; empty: not chosen. \throws Error(kParameter) for another text.
ModelDialect ParseDialect(std::string const& text);

/// Returns the dialect that a client of XGBoost's package of `version` writes: that version, or the first later dialect
/// that passes RequireSayable. If none does, the result is not chosen.
ModelDialect DialectOfClient(std::array<int, 3> const& version, Model const& model);

/// Checks that files of the dialect can store all that the model's predictions depend on. These are vector leaves and
/// rounds of unequal numbers of trees (since 2.1), base scores that differ between outputs and names of categories
/// (since 3.2), and objectives (since the version that has them). No dialect can store linear leaves,
/// categorical_encoding=ordered, or unseen_category=missing of a model with categorical splits. An objective's training
/// parameters change no prediction; they are omitted if the version does not know them. \throws Error(kParameter) if
/// the dialect cannot store the model; the message names the first dialect that can, if there is one.
void RequireSayable(Model const& model, ModelDialect const& dialect);

namespace model_io {

/// The member `objective` of a file, without the objective's name.
struct ObjectiveMembers {
  std::string param_key;  ///< empty: no parameters
  std::map<std::string, std::string> params;
  std::map<std::string, std::vector<float>> state;
};

ObjectiveMembers ObjectiveIn(ModelDialect const& dialect, Model const& model);

/// Returns the common base score of all outputs, as versions before 3.1 accept it. Before 3.2 the base score of a
/// logistic loss must lie strictly between 0 and 1. Later versions, and Kauri, clamp it to a distance of 1e-6
/// themselves.
float BaseScoreIn(ModelDialect const& dialect, Model const& model);

}  // namespace model_io
}  // namespace kauri
