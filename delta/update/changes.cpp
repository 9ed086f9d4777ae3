// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/changes.h"

#include <algorithm>
#include <utility>

#include "delta/view/offline_seal.h"
#include "format/entry/mode.h"

namespace dgfs::update {
namespace {

// An update seldom reads the bytes that it has written, so a small cache is enough.
constexpr std::size_t kComposedBytes = std::size_t{1} << 20;
constexpr view::Credentials kNobodyInParticular{};

}  // namespace

void Changes::give_up() noexcept {
  view_ = nullptr;  // nobody else uses the store
  delta_.give_up_update();
}

Status Changes::begin() {
  if (view_ != nullptr) return ok();
  DGFS_TRY(reserved, view::reserved_in(delta_));
  const auto end = std::max(reserved, delta_.manifest().stores.back().born_object);
  DGFS_CHECK(delta_.begin_update(request_, end));
  view::ViewOptions options;
  options.composed_bytes = kComposedBytes;
  DGFS_TRY(view, view::View::open(env_, image_, delta_, options));
  view_ = std::move(view);
  return ok();
}

Result<view::ObjectNumber> Changes::make(view::ObjectNumber directory, std::string_view name,
                                         std::uint32_t mode, std::uint64_t rdev,
                                         std::string_view target) {
  if (is_dry_) return next_dry_--;
  DGFS_CHECK(begin());
  const auto permissions = mode & format::kPermissionMask;
  auto made = format::is_directory(mode)
                  ? view_->make_directory(directory, name, permissions, kNobodyInParticular)
              : format::is_symlink(mode)
                  ? view_->make_symlink(directory, name, target, kNobodyInParticular)
                  : view_->create(directory, name, {mode, rdev}, kNobodyInParticular);
  if (!made) return std::move(made).error();
  DGFS_CHECK(drop_xattrs(made.value().object));
  return made.value().object;
}

Result<view::ObjectNumber> Changes::make_unnamed(view::ObjectNumber directory) {
  if (is_dry_) return next_dry_--;
  DGFS_CHECK(begin());
  DGFS_TRY(made, view_->create_unnamed(directory, 0600, kNobodyInParticular));
  DGFS_CHECK(drop_xattrs(made.object));
  return made.object;
}

// Those that it has from the default list of its directory.
Status Changes::drop_xattrs(view::ObjectNumber object) {
  DGFS_TRY(names, view_->xattr_names(object));
  for (const std::string& name : names) {
    DGFS_CHECK(view_->remove_xattr(object, name));
  }
  return ok();
}

Status Changes::link(view::ObjectNumber object, view::ObjectNumber directory,
                     std::string_view name) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  DGFS_CHECK(view_->link(object, directory, name));
  return ok();
}

Status Changes::unlink(view::ObjectNumber directory, std::string_view name) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  DGFS_TRY(gone, view_->unlink(directory, name));
  return gone.attributes.link_count == 0 ? view_->release(gone.object) : ok();
}

Status Changes::drop(view::ObjectNumber object) {
  return is_dry_ ? Status(ok()) : view_->release(object);
}

Status Changes::remove_directory(view::ObjectNumber directory, std::string_view name) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  DGFS_TRY(gone, view_->remove_directory(directory, name));
  return view_->release(gone.object);
}

Status Changes::set_attributes(view::ObjectNumber object, const view::AttributeChange& change) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  DGFS_CHECK(view_->set_attributes(object, change));
  return ok();
}

Status Changes::set_xattr(view::ObjectNumber object, const Xattr& xattr) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  return view_->set_xattr(object, xattr.name, xattr.value);
}

// A change of the mode, or of the owner, may have removed it.
Status Changes::remove_xattr(view::ObjectNumber object, std::string_view name) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  auto removed = view_->remove_xattr(object, name);
  if (!removed && removed.error().kind() == ErrorKind::kNoAttribute) return ok();
  return removed;
}

Status Changes::write(view::ObjectNumber file, std::uint64_t offset_bytes, Bytes bytes) {
  written_bytes_ += bytes.size();
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  // A part that was refused is asked for once more, to learn why.
  while (!bytes.empty()) {
    DGFS_TRY(count, view_->write(file, offset_bytes, bytes));
    offset_bytes += count;
    bytes = bytes.subspan(count);
  }
  return ok();
}

Status Changes::zero(view::ObjectNumber file, std::uint64_t offset_bytes,
                     std::uint64_t length_bytes) {
  if (is_dry_) return ok();
  DGFS_CHECK(begin());
  return view_->zero(file, offset_bytes, length_bytes, view::ZeroMode::kKeepSize);
}

std::unique_ptr<Content> Changes::content(view::ObjectNumber file) const {
  if (view_ == nullptr) return nullptr;
  return std::make_unique<ViewContent<view::View, view::View>>(*view_, *view_, file);
}

Result<std::uint64_t> Changes::size_of(view::ObjectNumber file) const {
  DGFS_TRY(attributes, view_->attributes(file));
  return attributes.size_bytes;
}

Result<delta::SealOutcome> Changes::commit() {
  DGFS_CHECK(view_->close());
  const auto end = view_->end_of_objects();
  view_ = nullptr;
  return delta_.commit_update(end);
}

}  // namespace dgfs::update
