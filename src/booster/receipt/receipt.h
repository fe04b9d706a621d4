/// \file Receipts: what a model was learnt from and how, so that anyone with the data can learn it again and compare
/// bytes.
///
/// A receipt is the attribute kauri_receipt of a model, JSON: a SHA-256 of each part of the data (data_digests.h), the
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

/// The receipt of `model`, which `learner` has learnt from `data`, or of which it has the parameters. It costs one more
/// training, which proves the receipt. \throws Error(kModel) when that gives another model: this one was continued or
/// changed between rounds, has an objective of the caller's own, or was learnt from other rows; and what training
/// throws.
std::string MakeReceipt(Learner const& learner, Model const& model, std::shared_ptr<DataMatrix const> const& data);

/// Learns the model of `learner` again from its receipt, with the threads and on the device of `learner`. Returns what
/// does not hold, in words; nothing: the rows are those of the receipt, and learning from them gives the model's bytes.
/// \throws Error(kModel) for a model without a receipt, or with a damaged one; and what training throws.
std::vector<std::string> DifferencesFromReceipt(Learner const& learner, std::shared_ptr<DataMatrix const> const& data);

}  // namespace kauri
