// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/entry_update.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "builder/scan/xattr_reader.h"
#include "builder/spool/tree_path.h"
#include "format/entry/access_list.h"
#include "format/entry/mode.h"
#include "format/section/xattr_set.h"

namespace dgfs::update {
namespace {

// The content of a file of the source; remembers whether reading it failed.
class SourceContent : public Content {
 public:
  explicit SourceContent(const storage::File& file) : file_(file) {}

  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset_bytes,
                                         MutableBytes out) const override {
    auto count = file_.read_at(offset_bytes, out);
    has_failed_ = has_failed_ || !count;
    return count;
  }
  [[nodiscard]] Result<storage::DataSegment> next_data(std::uint64_t offset_bytes) const override {
    auto data = file_.next_data(offset_bytes);
    has_failed_ = has_failed_ || !data;
    return data;
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  const storage::File& file_;
  mutable bool has_failed_ = false;
};

// The kernel and View remove it from a file that gets another owner.
bool may_be_gone(const std::string& xattr, bool is_mode_set) {
  return is_mode_set && (xattr == format::kCapabilityXattr || xattr == format::kAccessListXattr);
}

}  // namespace

std::string SourceItem::path() const { return builder::tree_path(prefix, name); }

Result<bool> EntryUpdate::can_become(const FormerObject& former, const SourceFacts& facts) const {
  const auto mode = facts.attributes.mode;
  if (format::type_of(former.attributes.mode) != format::type_of(mode)) return false;
  if (format::is_device(mode)) return former.attributes.rdev == facts.rdev;
  if (!format::is_symlink(mode)) return true;
  DGFS_TRY(target, former_.target(former));
  return target == facts.target;
}

Result<bool> EntryUpdate::has_xattrs(const FormerObject& former, Bytes wanted) const {
  if (!former.may_have_xattrs) return wanted.empty();
  DGFS_TRY(xattrs, former_.xattrs(former));
  Buffer set;
  if (!xattrs.empty()) format::encode_xattr_set(xattrs, set);
  return std::ranges::equal(Bytes(set), wanted);
}

Result<bool> EntryUpdate::differs(const FormerObject& former, const SourceFacts& facts) const {
  const view::Attributes& is = former.attributes;
  const builder::EntryAttributes& wanted = facts.attributes;
  const bool is_file = format::is_regular(wanted.mode);
  if (compares_all_ && is_file) return true;
  if (is.mode != wanted.mode || is.uid != wanted.uid || is.gid != wanted.gid ||
      is.mtime != wanted.mtime || (is_file && is.size_bytes != wanted.size_bytes)) {
    return true;
  }
  DGFS_TRY(has_same, has_xattrs(former, facts.xattrs));
  return !has_same;
}

Result<Effect> EntryUpdate::edit(const FormerObject& former, const SourceItem& item) {
  Reading reading;
  reading.attributes = item.attributes;
  reading.xattrs = item.xattrs;
  const bool is_file = format::is_regular(item.attributes.mode);
  if (is_file && (compares_all_ || former.attributes.size_bytes != item.attributes.size_bytes ||
                  former.attributes.mtime != item.attributes.mtime)) {
    const auto content = former_.content(former.object);
    DGFS_TRY(read_now, read(item, {content.get(), former.attributes.size_bytes}, former.object));
    reading = std::move(read_now);
  }
  if (reading.failure) {
    DGFS_CHECK(source_.losses().add(item.path(), std::move(*reading.failure)));
    DGFS_CHECK(restore(former));
    return Effect::kLeft;
  }
  DGFS_TRY(has_same, has_xattrs(former, reading.xattrs));
  DGFS_TRY(is_set, set_attributes(former.object, reading.attributes, &former.attributes,
                                  reading.has_written));
  const auto& now = reading.attributes;
  const bool is_mode_set = former.attributes.mode != now.mode || former.attributes.uid != now.uid ||
                           former.attributes.gid != now.gid;
  if (!has_same || (is_mode_set && !reading.xattrs.empty())) {
    DGFS_TRY(xattrs, former_.xattrs(former));
    DGFS_CHECK(set_xattrs(former.object, item, reading.xattrs, xattrs, is_mode_set));
  }
  return is_set || !has_same || reading.has_written ? Effect::kChanged : Effect::kSame;
}

// A file gets a name that is taken only once its content has been read.
Result<std::optional<view::ObjectNumber>> EntryUpdate::make(view::ObjectNumber directory,
                                                            const SourceItem& item,
                                                            const std::function<Status()>& clear) {
  const auto mode = item.attributes.mode;
  const bool has_content = format::is_regular(mode) && item.attributes.size_bytes != 0;
  const bool is_hidden = has_content && clear;
  if (clear && !is_hidden) {
    DGFS_CHECK(clear());
  }
  DGFS_TRY(object, is_hidden ? changes_.make_unnamed(directory)
                             : changes_.make(directory, item.name, mode, item.rdev, item.target));
  Reading reading;
  reading.attributes = item.attributes;
  reading.xattrs = item.xattrs;
  if (has_content) {
    DGFS_TRY(read_now, read(item, {}, object));
    reading = std::move(read_now);
  }
  if (reading.failure) {
    DGFS_CHECK(source_.losses().add(item.path(), std::move(*reading.failure)));
    DGFS_CHECK(is_hidden ? changes_.drop(object) : changes_.unlink(directory, item.name));
    return std::optional<view::ObjectNumber>();
  }
  if (is_hidden) {
    DGFS_CHECK(clear());
    DGFS_CHECK(changes_.link(object, directory, item.name));
  }
  DGFS_CHECK(set_attributes(object, reading.attributes, nullptr, true));
  DGFS_CHECK(set_xattrs(object, item, reading.xattrs, {}, false));
  return std::optional<view::ObjectNumber>(object);
}

Status EntryUpdate::set_time(view::ObjectNumber directory, const Time& mtime) {
  view::AttributeChange change;
  change.mtime = mtime;
  return changes_.set_attributes(directory, change);
}

Result<EntryUpdate::Reading> EntryUpdate::read(const SourceItem& item, const SizedContent& before,
                                               view::ObjectNumber to) {
  Reading reading;
  auto opened = [&]() -> Result<builder::SourceFile> {
    auto directory = source_.enter(item.prefix);
    if (!directory) return builder::as_change(std::move(directory).error());
    return builder::SourceFile::open(*directory.value(), item.name);
  }();
  if (!opened) {
    reading.failure = std::move(opened).error();
    return reading;
  }
  return read_again_and_again(std::move(opened).value(), before, to);
}

// As often as a build does, at most.
Result<EntryUpdate::Reading> EntryUpdate::read_again_and_again(builder::SourceFile file,
                                                               SizedContent before,
                                                               view::ObjectNumber to) {
  Reading reading;
  std::unique_ptr<Content> present;
  for (int attempt = 0; attempt < builder::kReadsMax; ++attempt) {
    if (attempt != 0) {
      auto again = file.as_of_now();
      if (!again) {
        reading.failure = std::move(again).error();
        return reading;
      }
      file = std::move(again).value();
      present = changes_.content(to);
      if (present != nullptr && reading.has_written) {
        DGFS_TRY(size_bytes, changes_.size_of(to));
        before = {present.get(), size_bytes};
      }
    }
    const SourceContent content(file.file());
    auto copied = contents_.copy({&content, file.size_bytes()}, before, to);
    reading.has_written = reading.has_written || !copied || copied.value();
    const bool is_shorter = !copied && copied.error().kind() == ErrorKind::kChanged;
    if (!copied && content.has_failed()) {
      reading.failure = std::move(copied).error();
      return reading;
    }
    if (!copied && !is_shorter) return std::move(copied).error();
    auto xattrs = builder::read_source_xattrs(file.file(), builder::OnUnreadable::kFail);
    auto change = file.change();
    if (!xattrs || !change) {
      reading.failure = !xattrs ? std::move(xattrs).error() : std::move(change).error();
      return reading;
    }
    if (is_shorter || change.value() != builder::SourceChange::kNone) continue;
    reading.attributes = builder::EntryRules().apply(file.status());
    reading.xattrs = std::move(xattrs).value().set;
    return reading;
  }
  reading.failure = builder::changed_while_read(file.file());
  return reading;
}

// The content and the times that a file had before the update.
Status EntryUpdate::restore(const FormerObject& former) {
  const auto present = changes_.content(former.object);
  if (present == nullptr || !format::is_regular(former.attributes.mode)) return ok();
  DGFS_TRY(size_bytes, changes_.size_of(former.object));
  const auto content = former_.content(former.object);
  DGFS_TRY(is_written, contents_.copy({content.get(), former.attributes.size_bytes},
                                      {present.get(), size_bytes}, former.object));
  if (!is_written) return ok();
  view::AttributeChange change;
  change.mtime = former.attributes.mtime;
  change.ctime = former.attributes.ctime;
  return changes_.set_attributes(former.object, change);
}

Result<bool> EntryUpdate::set_attributes(view::ObjectNumber object,
                                         const builder::EntryAttributes& wanted,
                                         const view::Attributes* before, bool has_written) {
  view::AttributeChange change;
  const bool has_owner =
      before != nullptr && before->uid == wanted.uid && before->gid == wanted.gid;
  if (!has_owner) {
    change.uid = wanted.uid;
    change.gid = wanted.gid;
  }
  // Another owner takes setuid bits away.
  const bool has_mode = before != nullptr && before->mode == wanted.mode && has_owner;
  if (!has_mode && !format::is_symlink(wanted.mode)) {
    change.permissions = wanted.mode & format::kPermissionMask;
  }
  if (has_written || before == nullptr || before->mtime != wanted.mtime) {
    change.mtime = wanted.mtime;
  }
  if (before == nullptr) change.atime = wanted.mtime;
  if (!change.uid && !change.permissions && !change.mtime) return false;
  DGFS_CHECK(changes_.set_attributes(object, change));
  return true;
}

Result<bool> EntryUpdate::set_xattrs(view::ObjectNumber object, const SourceItem& item,
                                     Bytes wanted, const std::vector<Xattr>& before,
                                     bool is_mode_set) {
  std::vector<Xattr> xattrs;
  if (!wanted.empty()) {
    DGFS_TRY(decoded, format::decode_xattr_set(wanted));
    xattrs = std::move(decoded);
  }
  bool is_any = false;
  for (const Xattr& old : before) {
    if (std::ranges::find(xattrs, old.name, &Xattr::name) != xattrs.end()) continue;
    DGFS_CHECK(changes_.remove_xattr(object, old.name));
    is_any = true;
  }
  for (const Xattr& xattr : xattrs) {
    const bool is_there = std::ranges::find(before, xattr) != before.end();
    if (is_there && !may_be_gone(xattr.name, is_mode_set)) continue;
    auto set = changes_.set_xattr(object, xattr);
    if (!set && set.error().kind() == ErrorKind::kUnsupported) {
      DGFS_CHECK(source_.losses().add(
          item.path(),
          Error(ErrorKind::kUnsupported, 7674,
                "has the extended attribute " + xattr.name + ", which no delta keeps")
              .in_file(item.path()),
          builder::LostPart::kAttribute));
      continue;
    }
    DGFS_CHECK(std::move(set));
    is_any = true;
  }
  return is_any;
}

}  // namespace dgfs::update
