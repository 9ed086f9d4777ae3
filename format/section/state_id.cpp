// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/state_id.h"

#include <algorithm>

#include "format/coding.h"
#include "format/header/section.h"

namespace dgfs::format {

void encode_state_id(const StateId& state, Buffer& out) { Encoder(out).raw(state); }

Result<StateId> decode_state_id(Bytes body) {
  auto decoded = [&]() -> Result<StateId> {
    Decoder decoder(body);
    StateId state{};
    DGFS_TRY(bytes, decoder.raw(state.size()));
    DGFS_CHECK(decoder.finish());
    std::ranges::copy(bytes, state.begin());
    return state;
  }();
  return in_section(SectionKind::kState, std::move(decoded));
}

}  // namespace dgfs::format
