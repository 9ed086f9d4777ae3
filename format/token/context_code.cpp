// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/context_code.h"

namespace dgfs::format {

ContextCode::ContextCode(std::vector<PrefixCode> codes, Buffer class_of)
    : codes_(std::move(codes)), class_of_(std::move(class_of)) {
  table_.reserve(codes_.size() << PrefixCode::kTableBits);
  for (const auto& code : codes_) {
    for (std::size_t bits = 0; bits < std::size_t{1} << PrefixCode::kTableBits; ++bits) {
      const auto& found = code.at(bits);
      table_.push_back(found.bits != 0 ? step_of(found) : Step());
    }
  }
}

ContextCode::Step ContextCode::find_long(std::size_t number, std::uint64_t ahead) const {
  return step_of(codes_[number].find(ahead));
}

}  // namespace dgfs::format
