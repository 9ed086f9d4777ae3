// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/raw_request.h"

#include <algorithm>

namespace dgfs::fuse {
namespace {

thread_local const RawRequest* this_threads = nullptr;

}  // namespace

void RawRequest::cut(std::size_t offset_bytes, std::size_t length_bytes) {
  const auto begin = sizeof(fuse_in_header) + offset_bytes;
  const auto rest = bytes_.subspan(begin + length_bytes);
  std::ranges::copy(rest, bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
  bytes_ = bytes_.first(bytes_.size() - length_bytes);
  auto changed = header();
  changed.len = static_cast<std::uint32_t>(bytes_.size());
  std::memcpy(bytes_.data(), &changed, sizeof changed);
}

void RawRequest::set_opcode(std::uint32_t opcode) {
  auto changed = header();
  changed.opcode = opcode;
  std::memcpy(bytes_.data(), &changed, sizeof changed);
}

const RawRequest* current_request() { return this_threads; }

CurrentRequest::CurrentRequest(const RawRequest& request) { this_threads = &request; }
CurrentRequest::~CurrentRequest() { this_threads = nullptr; }

}  // namespace dgfs::fuse
