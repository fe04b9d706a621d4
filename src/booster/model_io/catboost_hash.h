/// \file The numbers by which CatBoost's models know categories: hashes of their names.
#pragma once

#include <cstdint>
#include <string_view>

namespace kauri::model_io {

/// Longest name, in bytes, that is hashed; CatBoost hashes longer names in another way.
constexpr std::size_t kLongestHashed = 32;

/// Returns the lower 32 bits of a name's 64-bit city hash (Pike & Alakuijala 2011, version 1.0), as CatBoost stores it.
/// name: at most kLongestHashed bytes.
std::int32_t CatBoostHash(std::string_view name);

}  // namespace kauri::model_io
