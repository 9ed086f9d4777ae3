// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/piece_digest.h"

#include <utility>

namespace dgfs::builder {

DigestTurn& DigestTurn::operator=(DigestTurn&& other) noexcept {
  give_up();
  digest_ = std::move(other.digest_);
  content_begin_ = other.content_begin_;
  return *this;
}

void DigestTurn::give_up() noexcept {
  if (digest_ == nullptr) return;
  {
    const std::lock_guard lock(digest_->mutex_);
    digest_->is_given_up_ = true;
  }
  digest_->turned_.notify_all();
  digest_.reset();
}

Status DigestTurn::wait(std::unique_lock<std::mutex>& lock) {
  digest_->turned_.wait(
      lock, [this] { return digest_->is_given_up_ || digest_->next_ == content_begin_; });
  if (digest_->is_given_up_) {
    return Error(ErrorKind::kChanged, 4110, "another part of the file could not be read");
  }
  return ok();
}

}  // namespace dgfs::builder
