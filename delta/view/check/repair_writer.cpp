// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/check/repair_writer.h"

#include <utility>

namespace dgfs::view {

Status RepairWriter::apply(delta::Batch batch) {
  batch.set_class(delta::BatchClass::kInternal);
  DGFS_CHECK(layers_->live().apply(batch));
  return ok();
}

Status RepairWriter::put(std::string key, std::string value) {
  delta::Batch batch;
  batch.put(std::move(key), std::move(value));
  return apply(std::move(batch));
}

Status RepairWriter::remove(std::string key) {
  delta::Batch batch;
  batch.remove(std::move(key));
  return apply(std::move(batch));
}

Status RepairWriter::remove_range(delta::KeyRange range) {
  delta::Batch batch;
  batch.remove_range(std::move(range));
  return apply(std::move(batch));
}

// Does not check whether a lower layer shows the name: a needless whiteout does no harm.
void RepairWriter::put_name(delta::Batch& batch, const NamePlace& place, ObjectNumber object,
                            std::uint32_t mode) const {
  const bool hides_lower = moment().may_be_below(RecordClass::kDentry, place.directory);
  batch.put(key_of(RecordClass::kDentry, place.directory, place.name),
            encode_dentry({object, format::type_of(mode), hides_lower}));
  batch.put(name_key(object, place.directory, place.name), {});
  if (format::is_directory(mode)) {
    batch.put(key_of(RecordClass::kParent, object), number_value(place.directory));
  }
}

void RepairWriter::count_name(delta::Batch& batch, ObjectNumber directory, std::uint32_t mode) {
  const auto key = key_of(RecordClass::kAttributes, directory);
  batch.change_field(key, {field::kChildren, delta::FieldOperation::kAdd, 1});
  if (!format::is_directory(mode)) return;
  batch.change_field(key, {field::kLinkCount, delta::FieldOperation::kAdd, 1});
}

Status RepairWriter::drop_name(const NamePlace& place, ObjectNumber object) {
  delta::Batch batch;
  batch.remove(key_of(RecordClass::kDentry, place.directory, place.name));
  batch.remove(name_key(object, place.directory, place.name));
  DGFS_CHECK(apply(std::move(batch)));
  return recount({place.directory, object});
}

Result<bool> RepairWriter::restore(ObjectNumber object) {
  DGFS_TRY(node, layers_->bottom().node(object));
  if (!node) return false;
  DGFS_TRY(record, layers_->bottom().record_of(*node));
  DGFS_CHECK(put(key_of(RecordClass::kAttributes, object), encode_attributes(record)));
  DGFS_CHECK(recount({object}));
  return true;
}

Status RepairWriter::recount(std::initializer_list<ObjectNumber> objects) {
  for (const ObjectNumber object : objects) {
    auto found = facts_of(moment(), object);
    if (!found && !is_of_record(found.error())) return std::move(found).error();
    if (!found || !found.value()) continue;
    const ObjectFacts& facts = *found.value();
    const auto key = key_of(RecordClass::kAttributes, object);
    const Attributes& is = facts.record.attributes;
    delta::Batch batch;
    if (is.link_count != facts.right_links()) {
      batch.set_field(key, field::kLinkCount, facts.right_links());
    }
    if (is.children != facts.children) batch.set_field(key, field::kChildren, facts.children);
    if (!batch.empty()) {
      DGFS_CHECK(apply(std::move(batch)));
    }
  }
  return ok();
}

}  // namespace dgfs::view
