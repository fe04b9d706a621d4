/// \file Receipts record how and on which data a model was trained. Anyone with the data can train the model again and
/// compare bytes.
///
/// A receipt is the attribute kauri_receipt of a model. It is JSON with a SHA-256 of each part of the data, the
/// parameters, the number of rounds, a SHA-256 of the model without its attributes, and the version of the library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

constexpr char const* kReceiptAttribute = "kauri_receipt";

/// Returns the receipt of `model`. `learner` has trained it on `data`, or has its parameters. The cost is one more
/// training, which proves the receipt. \throws Error(kModel) if that training gives another model: `model` was
/// continued or changed between rounds, has an objective of the caller's own, or was trained on other rows. Also throws
/// what training throws.
std::string MakeReceipt(Learner const& learner, Model const& model, std::shared_ptr<DataMatrix const> const& data);

/// Trains the model of `learner` again from its receipt, with the threads and on the device of `learner`. Returns the
/// differences as messages. If there are none, the rows match the receipt, and training on them gives the model's
/// bytes. Does not train if the data or the model differ from the receipt. \throws Error(kModel) for a model without a
/// receipt, or with a damaged one; and what training throws.
std::vector<std::string> DifferencesFromReceipt(Learner const& learner, std::shared_ptr<DataMatrix const> const& data);

}  // namespace kauri
