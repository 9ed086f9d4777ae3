// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/tree_update.h"

#include <functional>
#include <utility>

#include "builder/spool/tree_path.h"
#include "format/entry/mode.h"

namespace dgfs::update {
namespace {

constexpr std::uint64_t kEntriesPerProgress = 4096;

SourceItem item_of(const builder::ScannedEntry& entry, const std::string& prefix) {
  SourceItem item;
  item.attributes = entry.attributes();
  item.rdev = entry.rdev;
  item.prefix = prefix;
  item.name = entry.name;
  item.target = entry.target;
  item.xattrs.assign(entry.xattrs.begin(), entry.xattrs.end());
  return item;
}

}  // namespace

TreeUpdate::TreeUpdate(FormerTree& former, Changes& changes, SourceTree& source,
                       const UpdateRequest& request)
    : former_(former),
      changes_(changes),
      source_(source),
      request_(request),
      entries_(former, changes, source, request.compares_all),
      removal_(former, changes, source),
      groups_(former, entries_, removal_, source, request.at, request.deletes) {}

void TreeUpdate::report(UpdateReport& report) const {
  report.entries = source_.entries();
  report.changed = changed_;
  report.created = created_;
  report.removed = removal_.removed();
  report.written_bytes = changes_.written_bytes();
}

Status TreeUpdate::run() {
  builder::TreeReader reader(source_.tree());
  while (true) {
    DGFS_CHECK(source_.stop().check());
    DGFS_TRY(record, reader.next());
    if (!record) break;
    if (builder::record_kind(*record) == builder::RecordKind::kDirectory) {
      if (!reader.prefix().empty()) {
        DGFS_CHECK(leave());
      }
      DGFS_CHECK(enter(reader.prefix()));
      continue;
    }
    DGFS_TRY(entry, builder::decode_entry_record(*record));
    if (position_ == 0) {
      DGFS_CHECK(begin(entry));
    } else {
      DGFS_CHECK(take(entry));
    }
    ++position_;
    if (position_ % kEntriesPerProgress == 0) show_progress();
  }
  DGFS_CHECK(leave());
  for (const auto& [directory, mtime] : late_) {
    DGFS_CHECK(entries_.set_time(directory, mtime));
  }
  return ok();
}

void TreeUpdate::show_progress() {
  if (request_.progress) request_.progress({false, position_, source_.entries()});
}

// A directory that is missing is made, as rsync(1) does, but not those above it.
Result<UpdateRoot> TreeUpdate::find_root() {
  DGFS_TRY(found, former_.find(view::kRoot, std::nullopt));
  std::string_view rest = request_.at;
  std::string seen;
  const auto refused = [&](ErrorKind kind, std::uint16_t code, const char* text) {
    return Error(kind, code, text).in_file(seen);
  };
  while (!rest.empty()) {
    const auto slash = rest.find('/');
    const auto name = rest.substr(0, slash);
    rest = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
    seen += (seen.empty() ? "" : "/") + std::string(name);
    DGFS_TRY(next, former_.find(found.object, name));
    if (!next && rest.empty()) return make_root(found.object, name);
    if (!next) return refused(ErrorKind::kNotFound, 7675, "no such directory in the delta");
    found = std::move(*next);
    if (!format::is_directory(found.attributes.mode)) {
      return refused(ErrorKind::kNotDirectory, 7676, "is no directory in the delta");
    }
  }
  return UpdateRoot{found.object, std::move(found)};
}

Result<UpdateRoot> TreeUpdate::make_root(view::ObjectNumber parent, std::string_view name) {
  DGFS_TRY(made, changes_.make(parent, name, format::kTypeDirectory | 0755, 0, {}));
  ++created_;
  return UpdateRoot{made, std::nullopt};
}

Status TreeUpdate::begin(const builder::ScannedEntry& root) {
  DGFS_TRY(place, find_root());
  const auto item = item_of(root, {});
  directory_ = {{}, place.directory, place.former.has_value(), false, item.attributes.mtime};
  if (source_.is_lost({}, {})) return ok();
  FormerObject former;
  if (place.former) {
    former = std::move(*place.former);
  } else {
    // As nothing is.
    former.object = place.directory;
    former.attributes.mode = 0;
    former.attributes.uid = UINT32_MAX;
  }
  DGFS_TRY(effect, entries_.edit(former, item));
  if (place.former) count(effect);
  return ok();
}

Status TreeUpdate::enter(const std::string& prefix) {
  while (!levels_.empty() && levels_.back().pending.empty()) levels_.pop_back();
  if (!prefix.empty() && !levels_.empty()) {
    directory_ = std::move(levels_.back().pending.front());
    levels_.back().pending.pop_front();
    prefix_.resize(levels_.back().prefix_bytes);
    prefix_.append(directory_.name).push_back('\0');
  }
  if (prefix_ != prefix) return Error(ErrorKind::kCorrupt, 7677, "a temporary file is damaged");
  levels_.push_back({prefix.size(), {}});
  walk_.reset();
  if (!directory_.is_former) return ok();
  DGFS_TRY(walk, view::DirectoryWalk::make(former_.moment(), directory_.object, true));
  walk_.emplace(std::move(walk));
  return walk_->seek({});
}

// The names of a directory are done; its subdirectories follow.
Status TreeUpdate::leave() {
  while (walk_ && walk_->is_at_name()) {
    DGFS_CHECK(take_gone());
  }
  if (!directory_.has_changed) return ok();
  return entries_.set_time(directory_.object, directory_.mtime);
}

Status TreeUpdate::walk_to(std::string_view name) {
  while (walk_ && walk_->is_at_name() && walk_->name() < name) {
    DGFS_CHECK(take_gone());
  }
  return ok();
}

// The source lacks the name at which the walk is.
Status TreeUpdate::take_gone() {
  DGFS_CHECK(source_.stop().check());
  if (request_.deletes) {
    const auto before = removal_.removed();
    const auto path = builder::tree_path(prefix_, walk_->name());
    DGFS_TRY(is_gone, removal_.remove(directory_.object, walk_->name(), walk_->dentry().object,
                                      walk_->dentry().type, path));
    static_cast<void>(is_gone);
    directory_.has_changed = directory_.has_changed || removal_.removed() != before;
  }
  return walk_->next();
}

Status TreeUpdate::take(const builder::ScannedEntry& entry) {
  DGFS_CHECK(walk_to(entry.name));
  NamePlan plan;
  if (walk_ && walk_->is_at_name() && walk_->name() == entry.name) {
    DGFS_TRY(former, former_.find(walk_->dentry().object, walk_->node()));
    DGFS_CHECK(walk_->next());
    DGFS_TRY(is_done, is_same(former, entry));
    if (is_done) return ok();
    plan.former = std::move(former);
  }
  if (entry.is_omitted()) return ok();
  plan.directory = directory_.object;
  plan.directory_mtime = directory_.mtime;
  plan.item = item_of(entry, prefix_);
  if (format::is_directory(entry.mode)) return take_directory(std::move(plan));
  builder::LinkName link;
  if (entry.is_multiply_linked()) {
    DGFS_TRY(found, source_.link_at(position_));
    link = found;
  }
  if (auto* const group = groups_.find(link)) return take_link(std::move(plan), link, *group);
  if (source_.is_lost(prefix_, entry.name)) return ok();
  return take_single(plan);
}

// Most entries: the only name of an object, and nothing to change.
Result<bool> TreeUpdate::is_same(const FormerObject& former,
                                 const builder::ScannedEntry& entry) const {
  if (format::is_directory(entry.mode) || entry.is_multiply_linked() || entry.is_omitted() ||
      former.attributes.link_count != 1) {
    return false;
  }
  const SourceFacts facts{entry, entry.rdev, entry.target, entry.xattrs};
  DGFS_TRY(is_different, entries_.differs(former, facts));
  if (is_different) return false;
  return entries_.can_become(former, facts);
}

Status TreeUpdate::take_directory(NamePlan plan) {
  Directory directory{plan.item.name, 0, false, false, plan.item.attributes.mtime};
  const bool is_lost =
      source_.is_lost(plan.item.prefix, plan.item.name);  // a part of it, not its names
  if (plan.former && format::is_directory(plan.former->attributes.mode)) {
    directory.object = plan.former->object;
    directory.is_former = true;
    if (is_lost) {
      directory.mtime = plan.former->attributes.mtime;
    } else {
      DGFS_TRY(effect, entries_.edit(*plan.former, plan.item));
      count(effect);
    }
  } else {
    DGFS_TRY(made, make(plan));
    directory.object = made.value_or(0);
  }
  levels_.back().pending.push_back(std::move(directory));
  return ok();
}

Status TreeUpdate::take_single(const NamePlan& plan) {
  if (plan.former) {
    DGFS_TRY(is_like, entries_.can_become(*plan.former, plan.item.facts()));
    bool is_ours = false;
    if (is_like) {
      DGFS_TRY(claimed, groups_.claim(*plan.former, plan.item));
      is_ours = claimed;
    }
    if (is_ours) {
      DGFS_TRY(effect, entries_.edit(*plan.former, plan.item));
      count(effect);
      return ok();
    }
  }
  DGFS_CHECK(make(plan));
  return ok();
}

Status TreeUpdate::take_link(NamePlan plan, const builder::LinkName& link, LinkGroup& group) {
  --group.names_left;
  const bool is_last = group.names_left == 0;
  group.is_left = group.is_left || source_.is_lost(plan.item.prefix, plan.item.name);
  if (!group.is_left && !group.target && plan.former) {
    DGFS_TRY(is_like, entries_.can_become(*plan.former, plan.item.facts()));
    if (is_like) {
      DGFS_TRY(claimed, groups_.claim(*plan.former, plan.item));
      if (claimed) {
        DGFS_TRY(effect, entries_.edit(*plan.former, plan.item));
        count(effect);
        group.is_left = effect == Effect::kLeft;
        group.target = plan.former->object;
      }
    }
  }
  if (group.is_left) {
    if (is_last) groups_.end(link);
    return ok();
  }
  if (group.target) {
    DGFS_CHECK(attach(plan, *group.target));
    for (const NamePlan& waiting : group.waiting) {
      DGFS_CHECK(attach(waiting, *group.target));
    }
    group.waiting.clear();
  } else {
    group.waiting.push_back(std::move(plan));
  }
  if (!is_last) return ok();
  DGFS_CHECK(end_group(group));
  groups_.end(link);
  return ok();
}

// None of its names leads to a former object that it could have.
Status TreeUpdate::end_group(LinkGroup& group) {
  if (group.target) return ok();
  std::optional<view::ObjectNumber> target;
  for (const NamePlan& plan : group.waiting) {
    if (target) {
      DGFS_CHECK(attach(plan, *target));
      continue;
    }
    DGFS_TRY(made, make(plan));
    if (!made) return ok();  // all its names stay as they are
    target = made;
  }
  return ok();
}

Status TreeUpdate::attach(const NamePlan& plan, view::ObjectNumber target) {
  if (plan.former && plan.former->object == target) return ok();
  if (plan.former) {
    DGFS_TRY(may_go, may_clear(plan));
    if (!may_go) return ok();
    DGFS_CHECK(clear(plan));
  }
  DGFS_CHECK(changes_.link(target, plan.directory, plan.item.name));
  note_names(plan);
  ++(plan.former ? changed_ : created_);
  return ok();
}

Result<std::optional<view::ObjectNumber>> TreeUpdate::make(const NamePlan& plan) {
  std::function<Status()> free_name;
  if (plan.former) {
    DGFS_TRY(may_go, may_clear(plan));
    if (!may_go) return std::optional<view::ObjectNumber>();
    free_name = [&] { return clear(plan); };
  }
  DGFS_TRY(made, entries_.make(plan.directory, plan.item, free_name));
  note_names(plan);
  if (!made) return made;
  ++(plan.former ? changed_ : created_);
  return made;
}

// False: it stays, which is noted as a loss.
Result<bool> TreeUpdate::may_clear(const NamePlan& plan) {
  const view::Attributes& former = plan.former->attributes;
  if (!format::is_directory(former.mode) || request_.deletes || former.children == 0) return true;
  DGFS_CHECK(source_.losses().add(
      plan.item.path(),
      Error(ErrorKind::kNotEmpty, 7678,
            "is a directory that is not empty in the delta, but none in the source; --delete "
            "removes it")
          .in_file(plan.item.path())));
  return false;
}

// Takes the former object away from a name.
Status TreeUpdate::clear(const NamePlan& plan) {
  const auto type = format::type_of(plan.former->attributes.mode);
  if (!format::is_directory(type)) return changes_.unlink(plan.directory, plan.item.name);
  DGFS_TRY(is_gone, removal_.remove(plan.directory, plan.item.name, plan.former->object, type,
                                    plan.item.path()));
  if (is_gone) return ok();
  return Error(ErrorKind::kNotEmpty, 7679,
               "is a directory in the delta, but none in the source, and holds entries that are "
               "excluded or could not be read")
      .in_file(plan.item.path());
}

void TreeUpdate::note_names(const NamePlan& plan) {
  if (plan.directory == directory_.object) {
    directory_.has_changed = true;
  } else {
    late_[plan.directory] = plan.directory_mtime;
  }
}

void TreeUpdate::count(Effect effect) {
  if (effect == Effect::kChanged) ++changed_;
}

}  // namespace dgfs::update
