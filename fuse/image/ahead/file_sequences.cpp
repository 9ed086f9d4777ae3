// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/ahead/file_sequences.h"

#include <algorithm>

namespace dgfs::fuse {
namespace {

using format::InodeNumber;

// Numbers that a reader in order may skip: of entries that are no files, or of empty files.
constexpr InodeNumber kGapMax = 4;
// A read in order adds one, any other read subtracts two. Random reads in a small directory
// are in order now and then by chance; they never build up trust.
constexpr int kTrustMin = 3;
constexpr int kTrustMax = 8;
constexpr int kTrustLost = 2;
constexpr std::uint64_t kWindowMin = 16;
constexpr std::uint64_t kWindowMax = 256;

}  // namespace

FileSequences::Listing* FileSequences::find(InodeNumber inode) {
  const auto found =
      std::find_if(listings_.begin(), listings_.end(), [inode](const Listing& listing) {
        return inode >= listing.names.begin && inode < listing.names.end;
      });
  if (found == listings_.end()) return nullptr;
  found->used = ++now_;
  return &*found;
}

void FileSequences::judge(bool is_in_order) {
  trust_ = std::clamp(trust_ + (is_in_order ? 1 : -kTrustLost), 0, kTrustMax);
}

void FileSequences::listed(const InodeRange& names) {
  // A long directory is listed in several pieces, and perhaps again.
  auto* known = find(names.begin);
  if (known == nullptr && names.begin > 0) known = find(names.begin - 1);
  if (known != nullptr && known->names.end >= names.begin) {
    known->names.end = std::max(known->names.end, names.end);
    return;
  }
  auto& oldest = *std::min_element(
      listings_.begin(), listings_.end(),
      [](const Listing& one, const Listing& other) { return one.used < other.used; });
  oldest = {names, names.begin, kWindowMin, ++now_};
}

std::optional<InodeRange> FileSequences::read(InodeNumber inode) {
  auto* listing = find(inode);
  if (listing == nullptr) {
    judge(false);
    return std::nullopt;
  }
  // A prefetched file may be requested nevertheless, if the kernel has dropped its pages.
  if (inode < listing->next) return std::nullopt;
  judge(inode - listing->next < kGapMax);
  listing->next = inode + 1;
  if (trust_ < kTrustMin || listing->next == listing->names.end) return std::nullopt;
  return InodeRange{listing->next, std::min(listing->names.end, listing->next + listing->window)};
}

void FileSequences::brought(const InodeRange& files) {
  auto* listing = find(files.begin);
  if (listing == nullptr) return;
  listing->next = std::max(listing->next, files.end);
  listing->window = std::min(2 * listing->window, kWindowMax);
}

}  // namespace dgfs::fuse
