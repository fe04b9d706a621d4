/// \file Columns without a value. The type of such a column in a batch is meaningless: a frame whose cells are all null
/// may call the column a number, and a dictionary without entries calls it a category.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/data_matrix.h"

namespace kauri {

/// [n_cols]: 1 if a column has a value in some row.
using ColumnFlags = std::vector<std::uint8_t>;

/// Returns which columns of `rows` have a value. Does not read compressed rows and rows in device memory: all their
/// columns count as having values. Cost: reads only the first rows, unless a column is missing in all of them.
ColumnFlags ColumnsWithValues(DataView const& rows);

/// Gives columns without a value in a batch the type that they have in the other batches: the type of the first batch
/// with a value, or "c" if no batch has a value and some batch has this type. Batches without types stay as they are.
/// has_value: [n_infos].
void SettleTypes(std::vector<MetaInfo*> const& infos, std::vector<ColumnFlags> const& has_value);

}  // namespace kauri
