// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The digest of a file that several threads read in pieces. A digest takes bytes in order, so each
// piece waits for its turn. Threads take pieces in order, so there is always a thread with the
// piece that is next.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "builder/read/file_digest.h"

namespace dgfs::builder {

/// The pieces of one file share it. Thread-safe.
class SharedDigest {
 public:
  explicit SharedDigest(FileDigest digest) : digest_(std::move(digest)) {}

 private:
  friend class DigestTurn;

  std::mutex mutex_;  ///< guards the members below
  std::condition_variable turned_;
  FileDigest digest_;
  std::uint64_t next_ = 0;  ///< first content byte of the next piece
  bool is_given_up_ = false;
};

/// The turn of a piece. If it is destroyed before its turn, because the piece could not be read,
/// the pieces behind it stop waiting. For one thread at a time.
class DigestTurn {
 public:
  /// A turn of no digest.
  DigestTurn() = default;
  DigestTurn(std::shared_ptr<SharedDigest> digest, std::uint64_t content_begin)
      : digest_(std::move(digest)), content_begin_(content_begin) {}
  ~DigestTurn() { give_up(); }
  DigestTurn(DigestTurn&&) noexcept = default;
  DigestTurn& operator=(DigestTurn&& other) noexcept;

  [[nodiscard]] bool is_wanted() const { return digest_ != nullptr; }
  /// Waits for the turn, and calls `update` with the digest to add the piece's content. Ends the
  /// turn.
  /// @param is_last  true: finishes the digest and returns it
  /// Errors: those of update(); kChanged if an earlier piece gave up (its own error tells the
  /// reason).
  template <class Update>
  [[nodiscard]] Result<std::optional<MadeDigest>> take(std::uint64_t content_bytes, bool is_last,
                                                       const Update& update);
  void give_up() noexcept;

 private:
  [[nodiscard]] Status wait(std::unique_lock<std::mutex>& lock);

  std::shared_ptr<SharedDigest> digest_;
  std::uint64_t content_begin_ = 0;
};

template <class Update>
Result<std::optional<MadeDigest>> DigestTurn::take(std::uint64_t content_bytes, bool is_last,
                                                   const Update& update) {
  std::optional<MadeDigest> made;
  {
    std::unique_lock lock(digest_->mutex_);
    DGFS_CHECK(wait(lock));
    DGFS_CHECK(update(digest_->digest_));
    if (is_last) {
      DGFS_TRY(digest, digest_->digest_.finish());
      made = std::move(digest);
    }
    digest_->next_ = content_begin_ + content_bytes;
  }
  digest_->turned_.notify_all();
  digest_.reset();
  return made;
}

}  // namespace dgfs::builder
