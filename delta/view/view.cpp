// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/view.h"

#include <algorithm>
#include <utility>

#include "delta/view/bottom_image.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/contents/content_reader.h"
#include "delta/view/contents/content_writer.h"
#include "delta/view/contents/data_seek.h"
#include "delta/view/editor.h"
#include "delta/view/makers.h"
#include "delta/view/marked_orphans.h"
#include "delta/view/memory_guard.h"
#include "delta/view/mover.h"
#include "delta/view/readers.h"
#include "delta/view/removers.h"
#include "delta/view/reserved_numbers.h"
#include "delta/view/sealer.h"
#include "format/limits.h"

namespace dgfs::view {
namespace {

// Numbers that a lower store may have given out are not given out again.
Result<ObjectNumber> first_number(const GenerationRef& layers, const delta::Manifest& manifest) {
  const Moment moment(layers);
  ObjectNumber first = std::max(layers->bottom().image().superblock().next_inode,
                                manifest.stores.back().born_object);
  if (manifest.base) first = std::max(first, manifest.base->end_of_numbers);
  DGFS_TRY(reserved, end_of_reserved(moment.stores()));
  return std::max(first, reserved);
}

// Bytes that copy() reads before it writes them.
constexpr std::uint64_t kCopyBytes = std::uint64_t{1} << 20;

}  // namespace

struct View::State {
  State(storage::Env& env, std::shared_ptr<const reader::Image> image,
        delta::DeltaDirectory& directory, ObjectNumber first, const ViewOptions& options)
      : delta(directory),
        generations(generation_of(std::move(image), directory, &orphans)),
        writer(env, generations, orphans),
        numbers(generations, first, options),
        makers(writer, numbers),
        removers(writer, orphans),
        mover(writer, numbers),
        composed(options.composed_bytes, options.pool),
        editor(writer, composed, generations.current()->chunks()),
        content_writer(writer, generations, composed),
        readers(generations),
        content_reader(generations, composed),
        data_seek(generations),
        sealer(env, directory, generations, numbers, orphans) {}

  /// Ends all orphans that can be ended. A damaged orphan keeps its mark, for a repair; so do all
  /// orphans of a delta that may not be written to. Errors: the first one.
  [[nodiscard]] Status end_all() {
    Status first = ok();
    for (const Orphan& orphan : orphans.all()) {
      auto ended = removers.release(orphan.object);
      if (ended || !first) continue;
      const auto kind = ended.error().kind();
      if (kind != ErrorKind::kCorrupt && kind != ErrorKind::kPermission) first = std::move(ended);
    }
    return first;
  }

  delta::DeltaDirectory& delta;
  Orphans orphans;
  Generations generations;
  Writer writer;
  ObjectNumbers numbers;
  Makers makers;
  Removers removers;
  Mover mover;
  ComposedChunks composed;
  Editor editor;
  ContentWriter content_writer;
  Readers readers;
  ContentReader content_reader;
  DataSeek data_seek;
  ListingPlaces places;
  Sealer sealer;  ///< last: its thread ends before all that it uses
};

View::View(std::unique_ptr<State> state) : state_(std::move(state)) {}
View::~View() = default;

Result<std::unique_ptr<View>> View::open(storage::Env& env, const reader::Image& image,
                                         delta::DeltaDirectory& delta, const ViewOptions& options) {
  return open(env, std::shared_ptr<const reader::Image>(std::shared_ptr<void>(), &image), delta,
              options);
}

Result<std::unique_ptr<View>> View::open(storage::Env& env,
                                         std::shared_ptr<const reader::Image> image,
                                         delta::DeltaDirectory& delta, const ViewOptions& options) {
  return whole_or_refused([&]() -> Result<std::unique_ptr<View>> {
    if (image->superblock().uuid != delta.manifest().bottom()) {
      return Error(ErrorKind::kInvalidArgument, 7371, "the delta belongs to another image");
    }
    DGFS_CHECK(check_objects_end(*image, delta.manifest().stores.front().born_object));
    const auto layers = generation_of(image, delta);
    DGFS_TRY(first, first_number(layers, delta.manifest()));
    DGFS_TRY(orphans, marked_orphans(Moment(layers).stores()));
    std::unique_ptr<View> view(
        new View(std::make_unique<State>(env, std::move(image), delta, first, options)));
    for (const ObjectNumber object : orphans) view->state_->orphans.add(object, {});
    DGFS_CHECK(view->state_->end_all());
    // Another view still uses these.
    for (const Orphan& orphan : options.orphans) {
      view->state_->orphans.add(orphan.object, orphan.since);
    }
    return view;
  });
}

Result<Entry> View::lookup(ObjectNumber directory, std::string_view name) const {
  return whole_or_refused([&] { return state_->readers.lookup(directory, name); });
}

Result<Entry> View::create(ObjectNumber directory, std::string_view name, const NewObject& object,
                           const Credentials& who) {
  return whole_or_refused([&]() -> Result<Entry> {
    const bool is_made_here = format::is_valid_mode(object.mode) &&
                              !format::is_directory(object.mode) &&
                              !format::is_symlink(object.mode);
    if (!is_made_here)
      return Error(ErrorKind::kInvalidArgument, 7375, "objects of this type cannot be made");
    const auto rdev = format::is_device(object.mode) ? object.rdev : 0;
    return state_->makers.make(directory, name, {object.mode, rdev, {}}, who);
  });
}

Result<Entry> View::create_unnamed(ObjectNumber directory, std::uint32_t permissions,
                                   const Credentials& who) {
  return whole_or_refused([&] {
    return state_->makers.make_unnamed(directory, permissions & format::kPermissionMask, who);
  });
}

Result<Entry> View::make_directory(ObjectNumber directory, std::string_view name,
                                   std::uint32_t permissions, const Credentials& who) {
  const auto mode = format::kTypeDirectory | (permissions & format::kPermissionMask);
  return whole_or_refused([&] { return state_->makers.make(directory, name, {mode, 0, {}}, who); });
}

Result<Entry> View::make_symlink(ObjectNumber directory, std::string_view name,
                                 std::string_view target, const Credentials& who) {
  return whole_or_refused([&]() -> Result<Entry> {
    if (target.empty()) return Error(ErrorKind::kNotFound, 7376, "a symlink needs a target");
    if (target.size() > format::kTargetBytesMax) {
      return Error(ErrorKind::kNameTooLong, 7377, "a target is longer than 4,095 bytes");
    }
    return state_->makers.make(directory, name, {format::kTypeSymlink | 0777, 0, target}, who);
  });
}

Result<Entry> View::link(ObjectNumber object, ObjectNumber directory, std::string_view name) {
  return whole_or_refused([&] { return state_->makers.link(object, directory, name); });
}

Result<Entry> View::unlink(ObjectNumber directory, std::string_view name) {
  return whole_or_refused([&] { return state_->removers.unlink(directory, name); });
}

Result<Entry> View::remove_directory(ObjectNumber directory, std::string_view name) {
  return whole_or_refused([&] { return state_->removers.remove_directory(directory, name); });
}

Result<Renamed> View::rename(ObjectNumber from, std::string_view old_name, ObjectNumber to,
                             std::string_view new_name, RenameMode mode,
                             const std::optional<Credentials>& whiteout) {
  return whole_or_refused([&] {
    return state_->mover.rename(
        {{from, std::string(old_name)}, {to, std::string(new_name)}, mode, whiteout});
  });
}

Result<Attributes> View::attributes(ObjectNumber object) const {
  return whole_or_refused([&] { return state_->readers.attributes(object); });
}

Result<Attributes> View::set_attributes(ObjectNumber object, const AttributeChange& change) {
  return whole_or_refused([&] { return state_->editor.set_attributes(object, change); });
}

Result<std::string> View::read_link(ObjectNumber object) const {
  return whole_or_refused([&] { return state_->readers.read_link(object); });
}

Result<std::vector<std::string>> View::paths(ObjectNumber object) const {
  return whole_or_refused([&] { return state_->readers.paths(object); });
}

Status View::release(ObjectNumber object) {
  return whole_or_refused([&] { return state_->removers.release(object); });
}

Result<std::size_t> View::read(ObjectNumber file, std::uint64_t offset_bytes,
                               MutableBytes out) const {
  return whole_or_refused([&] { return state_->content_reader.read(file, offset_bytes, out); });
}

Result<std::size_t> View::write(ObjectNumber file, std::uint64_t offset_bytes, Bytes bytes) {
  return whole_or_refused([&] { return state_->content_writer.write(file, offset_bytes, bytes); });
}

Result<Appended> View::append(ObjectNumber file, Bytes bytes) {
  return whole_or_refused([&] { return state_->content_writer.append(file, bytes); });
}

Status View::zero(ObjectNumber file, std::uint64_t offset_bytes, std::uint64_t length_bytes,
                  ZeroMode mode) {
  return whole_or_refused(
      [&] { return state_->content_writer.zero(file, offset_bytes, length_bytes, mode); });
}

Result<std::size_t> View::copy(ObjectNumber from, std::uint64_t from_bytes, ObjectNumber to,
                               std::uint64_t to_bytes, std::uint64_t length_bytes) {
  return whole_or_refused([&]() -> Result<std::size_t> {
    // Programs ask for much more than there is, and most files are short.
    DGFS_TRY(source, state_->readers.attributes(from));
    const auto rest_bytes = source.size_bytes - std::min(source.size_bytes, from_bytes);
    Buffer bytes(static_cast<std::size_t>(std::min({length_bytes, rest_bytes, kCopyBytes})));
    DGFS_TRY(count, state_->content_reader.read(from, from_bytes, bytes));
    return state_->content_writer.write(to, to_bytes, Bytes(bytes).first(count));
  });
}

Result<std::uint64_t> View::next_data(ObjectNumber file, std::uint64_t offset_bytes) const {
  return whole_or_refused([&] { return state_->data_seek.next_data(file, offset_bytes); });
}

Result<std::uint64_t> View::next_hole(ObjectNumber file, std::uint64_t offset_bytes) const {
  return whole_or_refused([&] { return state_->data_seek.next_hole(file, offset_bytes); });
}

Result<Buffer> View::xattr(ObjectNumber object, std::string_view name) const {
  return whole_or_refused([&] { return state_->readers.xattr(object, name); });
}

Result<std::vector<std::string>> View::xattr_names(ObjectNumber object) const {
  return whole_or_refused([&] { return state_->readers.xattr_names(object); });
}

Status View::set_xattr(ObjectNumber object, std::string_view name, Bytes value, XattrMode mode,
                       std::uint32_t cleared_permissions) {
  return whole_or_refused(
      [&] { return state_->editor.set_xattr(object, name, value, mode, cleared_permissions); });
}

Status View::remove_xattr(ObjectNumber object, std::string_view name) {
  return whole_or_refused([&] { return state_->editor.remove_xattr(object, name); });
}

Status View::list(ObjectNumber directory, std::string_view after,
                  const std::function<bool(const ListedName&)>& visit) const {
  return whole_or_refused([&] { return state_->readers.list(directory, after, visit); });
}

Result<std::unique_ptr<Listing>> View::open_listing(ObjectNumber directory) {
  return whole_or_refused([&]() -> Result<std::unique_ptr<Listing>> {
    DGFS_TRY(record, Moment(state_->generations.current()).needed_record(directory));
    if (!format::is_directory(record.attributes.mode)) {
      return Error(ErrorKind::kNotDirectory, 7384, "not a directory");
    }
    return std::make_unique<Listing>(state_->generations, state_->places, directory);
  });
}

Status View::sync() {
  return whole_or_refused([&] { return state_->generations.current()->live().sync(); });
}

Status View::sync(ObjectNumber object) {
  return whole_or_refused([&]() -> Status {
    const auto sequence = state_->writer.last_change(object);
    return sequence == 0 ? ok() : state_->generations.current()->live().sync(sequence);
  });
}

Status View::checkpoint() {
  return whole_or_refused([&] { return state_->generations.current()->live().checkpoint(); });
}

Result<SealedDelta> View::seal(const delta::SealRequest& request) {
  return whole_or_refused([&] { return state_->sealer.seal(request); });
}

Status View::drop_states(std::span<const delta::StateId> states) {
  return whole_or_refused([&] { return state_->sealer.drop_states(states); });
}

std::shared_ptr<const reader::Image> View::image() const {
  return state_->generations.current()->image();
}

Result<std::vector<Orphan>> View::orphans(std::size_t layers) const {
  return whole_or_refused([&]() -> Result<std::vector<Orphan>> {
    auto orphans = state_->orphans.all();
    const auto generation = state_->generations.current();
    DGFS_TRY(nameless, nameless_below(*generation, layers));
    for (const ObjectNumber object : nameless) {
      if (state_->readers.attributes(object)) orphans.push_back({object, {}});
    }
    return orphans;
  });
}

Status View::put_base(const delta::BasePlan& plan, std::shared_ptr<const reader::Image> base) {
  return whole_or_refused([&]() -> Status {
    for (const Orphan& orphan : state_->orphans.all()) {
      // A damaged one waits for a repair.
      auto kept = state_->removers.keep(orphan.object);
      if (!kept && kept.error().kind() != ErrorKind::kCorrupt) return kept;
    }
    return state_->sealer.put_base(plan, std::move(base));
  });
}

Result<delta::JoinPlan> View::begin_join(const delta::LayerRange& layers) {
  return whole_or_refused([&] { return state_->sealer.begin_join(layers); });
}

void View::give_up_join(const delta::JoinPlan& plan) noexcept { state_->sealer.give_up_join(plan); }

Status View::put_join(const delta::JoinPlan& plan) {
  return whole_or_refused([&] { return state_->sealer.put_join(plan); });
}

Status View::end_merge() {
  return whole_or_refused([&] { return state_->sealer.end_merge(); });
}

Result<bool> View::remove_unneeded() {
  return whole_or_refused([&] { return state_->sealer.remove_unneeded(); });
}

std::optional<Status> View::closing_state() const { return state_->sealer.closing_state(); }

ViewSpace View::space() {
  const auto space = state_->generations.current()->live().space();
  const auto soon_bytes = space.pending_bytes - space.held_bytes;
  return {space.used_bytes + state_->delta.sealed_bytes(), space.free_bytes + soon_bytes,
          space.reserved_bytes + space.held_bytes,
          space.max_bytes == 0 ? 0 : space.max_bytes + state_->delta.sealed_bytes()};
}

ObjectNumber View::end_of_objects() const { return state_->numbers.end(); }

Status View::close() {
  return whole_or_refused([&]() -> Status {
    // A layer that could not be closed is closed by the next opening.
    static_cast<void>(state_->sealer.finish());
    const auto ended = state_->end_all();
    auto closed = state_->delta.close();
    return closed ? ended : closed;
  });
}

}  // namespace dgfs::view
