/// \file Dialects: what the versions of XGBoost write into model files, and what they cannot say.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kauri/model.h"

namespace kauri {

/// The version of XGBoost whose files are written. Not chosen: those of 3.2, and what only later versions know as well.
struct ModelDialect {
  std::int64_t major = 3;
  std::int64_t minor = 2;
  bool is_chosen = false;
  std::int64_t patch = 0;

  bool IsSince(std::int64_t since_major, std::int64_t since_minor) const {
    return major != since_major ? major > since_major : minor >= since_minor;
  }
};

/// "1.7", "2.1", "3.0", "3.2" or "3.4"; empty: not chosen. \throws Error(kParameter) for another text.
ModelDialect ParseDialect(std::string const& text);

/// What a client of XGBoost's package of `version` writes: the files of that version, or of the first later one that
/// can say all that RequireSayable asks for; where none can, not chosen.
ModelDialect DialectOfClient(std::array<int, 3> const& version, Model const& model);

/// \throws Error(kParameter), naming the first dialect that can, if one does, where files of the dialect cannot say all
/// that the model's predictions depend on: vector leaves and rounds of unequal numbers of trees (since 2.1), base
/// scores that differ between outputs and names of categories (since 3.2), objectives (since the version that has
/// them). No dialect can say linear leaves, categorical_encoding=ordered, or unseen_category=missing of a model with
/// categorical splits. An objective's parameters of training change no prediction; they are left out where the version
/// does not know them.
void RequireSayable(Model const& model, ModelDialect const& dialect);

namespace model_io {

/// The member `objective` of a file, but its name.
struct ObjectiveMembers {
  std::string param_key;  ///< empty: no parameters
  std::map<std::string, std::string> params;
  std::map<std::string, std::vector<float>> state;
};

ObjectiveMembers ObjectiveIn(ModelDialect const& dialect, Model const& model);

/// The base score of all outputs, as versions before 3.1 take it: before 3.2 that of a logistic loss must lie strictly
/// between 0 and 1, where later ones, and Kauri, take numbers beyond 1e-6 for that.
float BaseScoreIn(ModelDialect const& dialect, Model const& model);

}  // namespace model_io
}  // namespace kauri
