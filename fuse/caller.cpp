// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/caller.h"

#include <charconv>
#include <string>

#include "fuse/answer.h"

namespace dgfs::fuse {
namespace {

// FUSE_INVALID_UIDGID of the kernel.
constexpr auto kUnnamed = static_cast<std::uint32_t>(-1);

// The last of the four ids in the line of this name: that for access to files.
std::optional<std::uint32_t> file_system_id(std::string_view text, std::string_view name) {
  const auto begin = text.find(name);
  if (begin == text.npos) return std::nullopt;
  const auto line = text.substr(begin, text.find('\n', begin + 1) - begin);
  const auto last = line.find_last_of(" \t") + 1;
  std::uint32_t id = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, failure] = std::from_chars(line.data() + last, end, id);
  if (failure != std::errc{} || rest != end) return std::nullopt;
  return id;
}

}  // namespace

std::optional<CallerIds> ids_in_status(std::string_view text) {
  const auto uid = file_system_id(text, "\nUid:");
  const auto gid = file_system_id(text, "\nGid:");
  if (!uid || !gid) return std::nullopt;
  return CallerIds{*uid, *gid};
}

std::optional<CallerIds> caller_ids(fuse_req_t request) {
  const auto* const context = fuse_req_ctx(request);
  if (context->uid != kUnnamed) return CallerIds{context->uid, context->gid};
  auto file = service_of(request).env.open("/proc/" + std::to_string(context->pid) + "/status");
  if (!file) return std::nullopt;
  Buffer text(4096);
  const auto count = file.value()->read_at(0, text);
  if (!count) return std::nullopt;
  return ids_in_status(as_text(Bytes(text).first(count.value())));
}

bool is_from_root(fuse_req_t request) {
  const auto ids = caller_ids(request);
  return ids && ids->uid == 0;
}

}  // namespace dgfs::fuse
