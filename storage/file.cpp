// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/file.h"

#include "storage/scatter.h"

namespace dgfs::storage {

Status read_exactly(const File& file, std::uint64_t offset_bytes, MutableBytes out) {
  DGFS_TRY(count, file.read_at(offset_bytes, out));
  if (count == out.size()) return ok();
  return Error(ErrorKind::kCorrupt, 1003,
               "file ends early: " + std::to_string(out.size()) + " bytes wanted, " +
                   std::to_string(count) + " there")
      .in_file(file.path())
      .at_offset(offset_bytes);
}

Status File::write_gathered(std::uint64_t offset_bytes, std::span<const Bytes> parts) {
  Buffer all;
  all.reserve(total_size(parts));
  for (const Bytes part : parts) all.insert(all.end(), part.begin(), part.end());
  return write_at(offset_bytes, all);
}

std::string holders_text(const File& file) {
  std::string text;
  for (const LockHolder& holder : file.lock_holders()) {
    text += (text.empty() ? "process " : ", process ") + std::to_string(holder.process);
    if (!holder.command.empty()) text += " (" + holder.command + ")";
  }
  return text.empty() ? "another process" : text;
}

}  // namespace dgfs::storage
