/// \file Columns without a value. Whatever type such a column has in a batch, it says nothing of the column: a frame
/// whose cells are all null may call the column a number, and a dictionary without entries calls it a category.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/data_matrix.h"

namespace kauri {

/// [n_cols]: 1 where a column has a value in some row.
using ColumnFlags = std::vector<std::uint8_t>;

/// Returns which columns of `rows` have a value. Compressed rows and rows in device memory are not looked at: all of
/// their columns count as having some. Cost: the first rows alone, unless a column is missing in all of these.
ColumnFlags ColumnsWithValues(DataView const& rows);

/// Gives each column one type in all batches whose rows have no value in it: the type of the first batch that has one,
/// or "c" where no batch has a value and some batch says so. Batches without types are left as they are.
/// has_value: [n_infos].
void SettleTypes(std::vector<MetaInfo*> const& infos, std::vector<ColumnFlags> const& has_value);

}  // namespace kauri
