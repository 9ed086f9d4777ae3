// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Change: one operation that is being prepared: the state that it reads, the locks that it holds,
// and the records that it writes together.
#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/store/run/batch.h"
#include "delta/view/moment.h"
#include "delta/view/object_locks.h"

namespace dgfs::view {

/// For one thread.
class Change {
 public:
  /// @param held                  must outlive it
  /// @param may_move_directories  the caller holds the lock of moving directories
  Change(GenerationRef generation, const ObjectLocks::Held& held, const Time& now,
         bool may_move_directories)
      : generation_(std::move(generation)),
        held_(held),
        now_(now),
        may_move_directories_(may_move_directories) {}

  /// The change belongs to this one: a batch that was decided on it is never applied to the store
  /// of another.
  [[nodiscard]] const Generation& layers() const { return *generation_; }
  /// The state that the change reads; the first call takes it. Not after complete().
  [[nodiscard]] const Moment& moment() const {
    if (!moment_) moment_.emplace(generation_);
    return *moment_;
  }
  /// Call it before batch(), when nothing is read or put any more. Without a snapshot that shares
  /// the table, the store can change the table in place.
  void complete() {
    put_whole_records();
    moment_.reset();
    put_edits();
  }
  [[nodiscard]] const Time& now() const { return now_; }

  // Locks. A change that lacks one gives up, and the operation is repeated with that lock.

  [[nodiscard]] bool lacks(ObjectNumber object) {
    if (held_.has(object)) return false;
    lacking_.push_back(object);
    return true;
  }
  [[nodiscard]] bool lacks_moving_directories() {
    is_moving_lacking_ = !may_move_directories_;
    return is_moving_lacking_;
  }
  [[nodiscard]] const std::vector<ObjectNumber>& lacking() const { return lacking_; }
  [[nodiscard]] bool is_moving_lacking() const { return is_moving_lacking_; }

  /// A directory in which names are made or removed. Errors: kNotFound (also if it was removed),
  /// kNotDirectory.
  [[nodiscard]] Result<AttributesRecord> directory(ObjectNumber directory) const;

  // Records of names.

  /// @param state  before the change, completed by Moment::look_below()
  void put_name(const NamePlace& place, Dentry dentry, const NameState& state);
  /// The same; leaves a whiteout if a lower layer has the name.
  void drop_name(const NamePlace& place, const NameState& state);
  /// Drops the object's record of the name, but not the dentry.
  void forget_name(const NamePlace& place, const NameState& state);
  /// Adds to a directory's number of names and of subdirectories, and sets its times. Writes the
  /// whole record: the next change of the directory finds it in the newest table, and searches no
  /// further. Call it once for a directory; the change must do nothing else to its attributes.
  /// @param directory  its lock is held
  /// @param record     as directory() returned it
  void change_directory(ObjectNumber directory, AttributesRecord record, int children,
                        int subdirectories);

  // Records of objects.

  void put_object(ObjectNumber object, const AttributesRecord& record);
  /// Call it before the first record of an object of the image is put: if the object has no name,
  /// marks it as an orphan.
  /// @param record  before the change
  [[nodiscard]] Status begin_touching(ObjectNumber object, const AttributesRecord& record);
  void set_mode(ObjectNumber object, std::uint32_t mode) {
    set_bytes(object, field::kMode, number_bytes(mode));
  }
  void set_flags(ObjectNumber object, std::uint32_t flags) {
    set_bytes(object, field::kFlags, number_bytes(flags));
  }
  void set_bytes(ObjectNumber object, std::uint64_t offset_bytes, std::string bytes) {
    edit(object, delta::Piece{offset_bytes, std::move(bytes)});
  }
  void set_ctime(ObjectNumber object) { set_bytes(object, field::kCtime, time_bytes(now_)); }
  void set_links(ObjectNumber object, std::uint64_t links) {
    edit(object, delta::field_set_to(field::kLinkCount, links));
  }
  void put(RecordClass record, ObjectNumber object, std::string_view rest, std::string value) {
    if (record == RecordClass::kAttributes) begin_record(object);
    batch_.put(key_of(record, object, rest), std::move(value));
  }
  void drop(RecordClass record, ObjectNumber object, std::string_view rest = {});
  /// All records of a class that the object may have.
  void drop_all(RecordClass record, ObjectNumber object);

  // Records of contents.

  void put_chunk(ObjectNumber object, std::uint64_t chunk, std::string bytes) {
    batch_.put(chunk_key(object, chunk), std::move(bytes));
  }
  void patch_chunk(ObjectNumber object, std::uint64_t chunk, std::uint64_t offset_bytes,
                   std::string bytes) {
    batch_.patch(chunk_key(object, chunk), offset_bytes, std::move(bytes));
  }
  void zero_chunk(ObjectNumber object, std::uint64_t chunk, std::uint64_t offset_bytes,
                  std::uint64_t length_bytes) {
    batch_.zero(chunk_key(object, chunk), offset_bytes, length_bytes);
  }
  /// Removes chunks in all layers, so that they become holes.
  /// @param end    nullopt: all chunks from `begin` on
  /// @param bytes  roughly, of the chunks; their space is wanted back soon
  void drop_chunks(ObjectNumber object, std::uint64_t begin, std::optional<std::uint64_t> end,
                   std::uint64_t bytes);
  /// Raises the size to at least this.
  void grow(ObjectNumber object, std::uint64_t size_bytes) {
    edit(object, delta::FieldChange{field::kSize, delta::FieldOperation::kMax, size_bytes});
  }
  void set_size(ObjectNumber object, std::uint64_t size_bytes, std::uint64_t blocks) {
    edit(object, delta::field_set_to(field::kSize, size_bytes));
    edit(object, delta::field_set_to(field::kBlocks, blocks));
  }
  void add_blocks(ObjectNumber object, std::uint64_t blocks) {
    edit(object, delta::FieldChange{field::kBlocks, delta::FieldOperation::kAdd, blocks});
  }

  /// Marks an object as an orphan: it has no name, and goes on until it ends.
  void put_orphan(ObjectNumber object);
  /// The same without a record, for an object of the image that was never changed.
  void note_orphan(ObjectNumber object) { new_orphans_.push_back(object); }
  /// Removes the mark: the object has a name again, or it has ended.
  void drop_orphan(ObjectNumber object);
  /// The same for an orphan without a record.
  void forget_orphan(ObjectNumber object) { old_orphans_.push_back(object); }
  [[nodiscard]] const std::vector<ObjectNumber>& new_orphans() const { return new_orphans_; }
  [[nodiscard]] const std::vector<ObjectNumber>& old_orphans() const { return old_orphans_; }

  /// The change makes space: see BatchClass.
  void set_removing() { batch_.set_class(delta::BatchClass::kRemoving); }
  [[nodiscard]] const delta::Batch& batch() const { return batch_; }

 private:
  /// Edits of an object's attributes, which are one patch: the store then looks the record up once.
  struct Edited {
    ObjectNumber object = 0;
    delta::Patch patch;
  };
  void edit(ObjectNumber object, delta::Edit edit);
  void put_edit(Edited& edited);
  void put_edits();
  void put_whole_records();
  void begin_record(ObjectNumber object);

  const GenerationRef generation_;
  mutable std::optional<Moment> moment_;
  const ObjectLocks::Held& held_;
  const Time now_;
  const bool may_move_directories_;
  bool is_moving_lacking_ = false;
  std::vector<ObjectNumber> lacking_;
  std::vector<ObjectNumber> new_orphans_;
  std::vector<ObjectNumber> old_orphans_;
  boost::container::small_vector<Edited, 2> edited_;  ///< not in the batch yet
  /// Objects whose whole records are put or dropped in the batch.
  boost::container::small_vector<ObjectNumber, 2> replaced_;
  delta::Batch batch_;
};

}  // namespace dgfs::view
