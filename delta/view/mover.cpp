// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/mover.h"

#include <string>
#include <utility>

#include "delta/view/loop_guard.h"
#include "delta/view/name_rules.h"

namespace dgfs::view {
namespace {

bool is_directory(const Dentry& dentry) { return dentry.type == format::kTypeDirectory; }

// Changes of a directory's numbers of names and subdirectories.
struct Difference {
  int children = 0;
  int subdirectories = 0;

  void add(const Dentry& dentry) { count(dentry, 1); }
  void remove(const Dentry& dentry) { count(dentry, -1); }

 private:
  void count(const Dentry& dentry, int sign) {
    children += sign;
    if (is_directory(dentry)) subdirectories += sign;
  }
};

// One attempt of a rename.
class Move {
 public:
  /// @param whiteout  number for the whiteout that is left
  Move(Change& change, const Mover::Request& request, ObjectNumber whiteout)
      : change_(change), request_(request), whiteout_(whiteout) {}

  // none: a lock is missing.
  [[nodiscard]] Result<std::optional<Renamed>> make() {
    DGFS_TRY(from, change_.directory(request_.from.directory));
    DGFS_TRY(to, change_.directory(request_.to.directory));
    old_parent_ = from;
    new_parent_ = to;
    if (is_own_name(request_.from.name) || is_own_name(request_.to.name)) {
      return Error(ErrorKind::kInvalidArgument, 7387, "a directory's own name stays");
    }
    DGFS_CHECK(look());
    if (new_.dentry && new_.dentry->object == moved().object) {
      return std::optional(Renamed{moved().object, {}});
    }
    DGFS_TRY(is_ready, has_locks());
    if (!is_ready) return std::optional<Renamed>();
    DGFS_CHECK(check_types());
    return request_.mode == RenameMode::kExchange ? exchange() : replace();
  }

 private:
  [[nodiscard]] const Dentry& moved() const { return *old_.dentry; }
  [[nodiscard]] bool is_one_directory() const {
    return request_.from.directory == request_.to.directory;
  }

  [[nodiscard]] Status look() {
    DGFS_TRY(old_state, taken_name(change_.moment(), request_.from));
    old_ = std::move(old_state);
    DGFS_TRY(new_state, change_.moment().name(request_.to.directory, request_.to.name));
    new_ = std::move(new_state);
    if (new_.dentry && request_.mode == RenameMode::kNoReplace) {
      return Error(ErrorKind::kExists, 7354, "the new name is taken");
    }
    if (!new_.dentry && request_.mode == RenameMode::kExchange) {
      return Error(ErrorKind::kNotFound, 7355, "no such name to exchange with");
    }
    return change_.moment().look_below(request_.to.directory, request_.to.name, new_);
  }

  // A directory must not move below itself. While the lock of moving directories is held, the check
  // stays true.
  [[nodiscard]] Result<bool> has_locks() {
    const bool moves_directory =
        is_directory(moved()) || (new_.dentry && is_directory(*new_.dentry));
    if (moves_directory && !is_one_directory()) {
      if (change_.lacks_moving_directories()) return false;
      DGFS_CHECK(check_loops());
    }
    const bool lacks_moved = change_.lacks(moved().object);
    const bool lacks_other = new_.dentry && change_.lacks(new_.dentry->object);
    return !lacks_moved && !lacks_other;
  }

  [[nodiscard]] Status check_loops() const {
    DGFS_TRY(is_into_itself, is_at_or_below(request_.to.directory, moved().object));
    if (is_into_itself) {
      return Error(ErrorKind::kInvalidArgument, 7356, "a directory cannot be moved into itself");
    }
    if (!new_.dentry) return ok();
    DGFS_TRY(is_above, is_at_or_below(request_.from.directory, new_.dentry->object));
    if (!is_above) return ok();
    if (request_.mode == RenameMode::kExchange) {
      return Error(ErrorKind::kInvalidArgument, 7357, "a directory cannot be moved into itself");
    }
    return Error(ErrorKind::kNotEmpty, 7358, "the directory is not empty");
  }

  [[nodiscard]] Result<bool> is_at_or_below(ObjectNumber directory, ObjectNumber above) const {
    LoopGuard guard;
    while (directory != above && directory != kRoot) {
      DGFS_CHECK(guard.pass(directory));
      DGFS_TRY(parent, change_.moment().parent(directory));
      directory = parent;
    }
    return directory == above;
  }

  [[nodiscard]] Status check_types() const {
    if (!new_.dentry || request_.mode == RenameMode::kExchange) return ok();
    if (is_directory(moved()) && !is_directory(*new_.dentry)) {
      return Error(ErrorKind::kNotDirectory, 7359, "not a directory");
    }
    if (!is_directory(moved()) && is_directory(*new_.dentry)) {
      return Error(ErrorKind::kIsDirectory, 7360, "a directory");
    }
    return ok();
  }

  [[nodiscard]] Result<std::optional<Renamed>> replace() {
    Renamed renamed{moved().object, {}};
    if (new_.dentry) {
      DGFS_CHECK(lose(renamed.replaced));
      to_.remove(*new_.dentry);
      change_.forget_name(request_.to, new_);
    }
    give(request_.to, new_, moved());
    Difference& from = is_one_directory() ? to_ : from_;
    from.remove(moved());
    to_.add(moved());
    if (request_.whiteout) {
      DGFS_TRY(whiteout, put_whiteout(*request_.whiteout));
      from.add(whiteout);
    } else {
      change_.drop_name(request_.from, old_);
    }
    change_directories();
    return std::optional(renamed);
  }

  [[nodiscard]] Status lose(Entry& replaced) {
    const auto object = new_.dentry->object;
    DGFS_TRY(record, change_.moment().needed_record(object));
    auto lost = is_directory(*new_.dentry) ? Removers::lose_directory(change_, object, record)
                                           : Removers::lose_name(change_, new_, record);
    if (!lost) return std::move(lost).error();
    replaced = {object, lost.value()};
    return ok();
  }

  [[nodiscard]] Result<std::optional<Renamed>> exchange() {
    const Dentry other = *new_.dentry;
    DGFS_TRY(record, change_.moment().needed_record(other.object));
    record.attributes.ctime = change_.now();
    change_.forget_name(request_.to, new_);
    change_.forget_name(request_.from, old_);
    give(request_.to, new_, moved());
    give(request_.from, old_, other);
    Difference& from = is_one_directory() ? to_ : from_;
    from.remove(moved());
    to_.add(moved());
    to_.remove(other);
    from.add(other);
    change_directories();
    return std::optional(Renamed{moved().object, {other.object, record.attributes}});
  }

  // Gives a name to an object that has one at another place.
  void give(const NamePlace& place, const NameState& state, const Dentry& dentry) {
    change_.put_name(place, dentry, state);
    change_.set_ctime(dentry.object);
    if (is_directory(dentry) && !is_one_directory()) {
      change_.put(RecordClass::kParent, dentry.object, {}, number_value(place.directory));
    }
  }

  [[nodiscard]] Result<Dentry> put_whiteout(const Credentials& who) {
    DGFS_TRY(record, Makers::put_new(change_, whiteout_, request_.from.directory, old_parent_,
                                     {format::kTypeCharacterDevice, 0, {}}, who));
    change_.put_object(whiteout_, record);
    const Dentry dentry{whiteout_, format::kTypeCharacterDevice, false};
    change_.forget_name(request_.from, old_);
    change_.put_name(request_.from, dentry, old_);
    return dentry;
  }

  void change_directories() {
    change_.change_directory(request_.to.directory, new_parent_, to_.children, to_.subdirectories);
    if (is_one_directory()) return;
    change_.change_directory(request_.from.directory, old_parent_, from_.children,
                             from_.subdirectories);
  }

  Change& change_;
  const Mover::Request& request_;
  const ObjectNumber whiteout_;
  AttributesRecord old_parent_;
  AttributesRecord new_parent_;
  NameState old_;
  NameState new_;
  Difference from_;
  Difference to_;
};

}  // namespace

Result<Renamed> Mover::rename(const Request& request) {
  DGFS_CHECK(check_component(request.from.name));
  DGFS_CHECK(check_component(request.to.name));
  if (request.mode == RenameMode::kExchange && request.whiteout) {
    return Error(ErrorKind::kInvalidArgument, 7385, "an exchange leaves no whiteout");
  }
  std::vector<ObjectNumber> objects{request.from.directory, request.to.directory};
  ObjectNumber whiteout = 0;
  if (request.whiteout) {
    DGFS_TRY(number, numbers_.take(request.from.directory));
    whiteout = number;
    objects.push_back(whiteout);
  }
  auto renamed = writer_.change<Renamed>(
      std::move(objects), [&](Change& change) { return Move(change, request, whiteout).make(); });
  if (!renamed && whiteout != 0) numbers_.give_back(request.from.directory, whiteout);
  return renamed;
}

}  // namespace dgfs::view
