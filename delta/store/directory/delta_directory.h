// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DeltaDirectory: the directory of a delta, which is a stack of stores over an image. Only the
// newest store is written to.
//
//   DIR/MANIFEST   names image and stores; locked by the process that has the delta open
//   DIR/0001, ...  a store each; all but the newest are layers, which are only read
//   DIR/base.*     the base, once a merge has made one (base_files.h)
//   DIR/lock       locked while a process makes the delta
//   DIR/control    a socket, once the delta has been mounted (delta/control/control.h)
//
// Only its owner has permissions for the directory and its files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "delta/store/directory/base_files.h"
#include "delta/store/directory/manifest.h"
#include "delta/store/directory/privacy.h"
#include "delta/store/store.h"

namespace dgfs::delta {

/// The manifest of a delta, with its lock. Moved, not copied.
struct LockedManifest {
  std::unique_ptr<storage::File> file;
  Manifest manifest;
  Privacy privacy;  ///< empty unless it was locked for writing
};

/// Name and place of the state that a seal makes. A value.
struct SealRequest {
  std::string name;        ///< of the state; empty: none
  std::string image_path;  ///< where the image is, for the manifest; empty: unknown
  /// Makes a layer even if nothing has changed since the newest state. Views heed it.
  bool even_unchanged = false;
};

/// A seal that was prepared: the store that will be written to next. Moved, not copied.
struct SealPlan {
  LayerFacts facts;        ///< of the newest store, without the last sequence number
  StackedStore next;       ///< of the fresh store
  std::string image_path;  ///< as of SealRequest
  std::shared_ptr<Store> fresh;
};

/// A base that a merge has made of the bottom and the oldest layers. A value.
struct BasePlan {
  /// Its number, its UUID, the end of the reserved numbers, and kept bases; the rest follows from
  /// the layers.
  BaseFacts base;
  std::size_t layers = 0;  ///< so many of the oldest, at least one
};

/// A base that waits for its manifest. Moved, not copied.
struct PreparedBase {
  Manifest next;
  HeldBase held;                               ///< of the next manifest
  std::vector<std::shared_ptr<Store>> stores;  ///< without the merged layers
  std::uint64_t absorbed_bytes = 0;            ///< of the disk that these take
};

/// Neighbouring layers of a stack. A value.
struct LayerRange {
  std::size_t begin = 0;  ///< number of the oldest
  std::size_t end = 0;    ///< behind the newest

  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const LayerRange&, const LayerRange&) = default;
};

/// A join that was begun. A value.
struct JoinPlan {
  std::vector<StackedStore> layers;  ///< that are joined, the oldest first
  /// The layer that takes their place; without its UUID until it is made.
  StackedStore joined;
  std::uint64_t bytes_needed = 0;  ///< of the disk, until the joined layers go; an upper bound
};

/// The bytes of the disk that a join of layers with so many needs until they are gone, an upper
/// bound.
[[nodiscard]] std::uint64_t bytes_to_join(std::uint64_t layer_bytes);
/// A joined layer that waits for its manifest. Moved, not copied.
struct PreparedJoin {
  Manifest next;
  std::vector<std::shared_ptr<Store>> stores;  ///< with the joined layer in place of the others
  std::uint64_t joined_bytes = 0;              ///< of the disk that it takes
  std::uint64_t replaced_bytes = 0;            ///< that the others take
};

/// A seal that was made. A value.
struct SealOutcome {
  std::size_t layers = 0;         ///< that the state shows
  std::uint64_t changes = 0;      ///< batches in the new layer
  std::uint64_t bytes = 0;        ///< of the disk that the layer takes once it is closed, about
  std::uint64_t switch_ns = 0;    ///< writers were held up for no longer than this
  std::optional<Error> unclosed;  ///< why the layer still has its log; the next opening closes it
};

/// Thread-safe, with the exceptions that calls name. One process at a time may have a delta open
/// for writing; any number may have it open for reading only.
class DeltaDirectory {
 public:
  /// Makes the directory, its first store, and then its manifest, durably. A crash leaves a whole
  /// delta or none; a later create() replaces the remains.
  /// @param image        that the delta belongs to
  /// @param born_object  above every object number of the image; 0: there is no lower layer
  /// @param options      parameters of the store
  /// @param chunk_bytes  length of the chunks of contents, fixed for ever; see is_chunk_length()
  /// Errors: kInvalidArgument (not a valid length), kExists (there is a delta), kBusy (another
  /// process makes it), kIo, kNoSpace.
  [[nodiscard]] static Status create(storage::Env& env, const std::string& directory,
                                     const format::Uuid& image, std::uint64_t born_object,
                                     const StoreOptions& options,
                                     std::uint64_t chunk_bytes = kChunkBytes);
  /// @param options  of each store. `access` is that of the newest one; the others are only read.
  ///                 For kReadOnly nothing is written. `max_bytes` caps all stores together.
  /// Errors: kNotFound (no delta is there), kBusy (already open, unless all open it for reading
  /// only), kCorrupt (also if stores are not those in the manifest), kUnsupported; those of
  /// Store::open().
  [[nodiscard]] static Result<std::unique_ptr<DeltaDirectory>> open(storage::Env& env,
                                                                    const std::string& directory,
                                                                    const StoreOptions& options);
  /// Opens only the layers that a state shows, for reading, whether or not a process has the delta
  /// open. newest() is then the uppermost of them. Waits up to a minute for a layer that is being
  /// closed.
  /// @param find  tells how many layers of a manifest the state shows, at least one (find_state())
  /// Errors: those of `find` and of open(); kBusy (a layer is still being closed); kCorrupt, with
  /// the path of the damaged layer.
  [[nodiscard]] static Result<std::unique_ptr<DeltaDirectory>> open_state(
      storage::Env& env, const std::string& directory,
      const std::function<Result<std::size_t>(const Manifest&)>& find, const StoreOptions& options);

  // Seals: the newest store becomes a layer, and an empty one lies over it. One thread seals. A
  // crash leaves the old stack or the new one; the next opening for writing finishes the rest.

  /// Makes a seal of a delta that nobody changes meanwhile.
  /// @param end_of_objects  above every object number that a store of the stack may have
  /// Errors: those of check_seal() and of the three steps.
  [[nodiscard]] Result<SealOutcome> seal(const SealRequest& request, std::uint64_t end_of_objects);
  /// Whether a seal would be made. Errors: kInvalidArgument (the name), kExists (the name is used),
  /// kLimit (the stack has all layers that it may have), kNoSpace (for the next store), kPermission
  /// (opened for reading).
  [[nodiscard]] Status check_seal(const SealRequest& request) const;
  /// Whether nothing was applied to the newest store since the newest state.
  [[nodiscard]] bool is_unchanged() const;
  /// For a seal without changes: gives the newest state the name that was asked for, durably, if it
  /// has none. Nothing if no name was asked for, there is no state, or it has another name. Errors:
  /// those of check_seal() about the name; kIo, kNoSpace: then the name may be there or not.
  [[nodiscard]] Status name_newest_state(const SealRequest& request);
  /// Takes the names and pins of states away, durably, with one change of the manifest; the states
  /// go with the next join or merge. Errors: those of without_states(); kPermission (opened for
  /// reading); kIo, kNoSpace: then they may be dropped or not.
  /// @param states  ids of layers, or of the base
  [[nodiscard]] Status drop_states(std::span<const StateId> states);
  /// Notes in the manifest where the image is, for commands without a mount. Nothing if the delta
  /// has no states yet, or is open only for reading. Errors: kIo, kNoSpace.
  [[nodiscard]] Status note_image(const std::string& path);
  /// Space that a seal needs for the next store. An upper bound.
  [[nodiscard]] std::uint64_t next_store_bytes() const;
  /// First step: makes and opens the next store. After an error nothing is left.
  /// @param end_of_objects  the next store is born there; above the object numbers that the newest
  ///                        store has or will get
  /// @param last_sequence   not below that of any batch that the newest store will get
  /// Errors: those of Store::open(); kNoSpace (it would take no changes).
  [[nodiscard]] Result<SealPlan> prepare_seal(const SealRequest& request,
                                              std::uint64_t end_of_objects,
                                              std::uint64_t last_sequence);
  /// Instead of the second step: the next store goes again.
  void give_up(SealPlan plan) noexcept;
  /// Second step: changes the manifest, durably. All batches of the newest store must be durable.
  /// Then the plan's store is the newest.
  /// @param last_sequence  of the last batch of the newest store
  /// Returns the manifest that it wrote. Errors: kIo, kNoSpace: afterwards the manifest has the old
  /// stack or the new one; kCorrupt (of numbers that no manifest may have).
  [[nodiscard]] Result<Manifest> commit_seal(const SealPlan& plan, std::uint64_t last_sequence);
  /// Third step: closes the store below the newest one, gives its log and spare space back, and
  /// opens it again for reading. No call but reads of that store may be under way. Errors: those of
  /// its two parts; the layer is then as after a crash, and still readable.
  [[nodiscard]] Status close_layer() {
    DGFS_CHECK(begin_closing());
    return end_closing();
  }
  /// Store::close() of that store. Views from before keep tables in memory and old blocks on disk,
  /// so the caller drops them before the second part. Errors: those of it.
  [[nodiscard]] Status begin_closing();
  /// Marks the store as sealed, and gives back all that it does not need. stores() then has another
  /// store in its place. Errors: those of Store::make_layer() and Store::open().
  [[nodiscard]] Status end_closing();

  // Merges: a base takes the place of the image, or of the last base, and of the oldest layers. The
  // thread that seals makes these calls.

  /// First step: checks and holds the base. Its files are durable and have their names; they show
  /// the same tree as what they replace. Errors: kInvalidArgument (there are no such layers),
  /// kCorrupt (the base is missing; numbers that no manifest may have), kIo.
  [[nodiscard]] Result<PreparedBase> prepare_base(const BasePlan& plan) const;
  /// Second step: changes the manifest, durably. No other call has changed it since the first. From
  /// then on stores() lacks the merged layers, which stay on disk until remove_unneeded(). Errors:
  /// kIo, kNoSpace: afterwards the manifest has the old stack or the new one.
  [[nodiscard]] Status commit_base(PreparedBase base);
  /// Removes merged and joined layers, and files of earlier bases, that nothing needs and no
  /// process uses; the next opening for writing removes the others. Returns whether all are gone.
  /// Errors: kIo.
  [[nodiscard]] Result<bool> remove_unneeded();
  /// Whether the last removal, or the opening, has left something because a process uses it.
  [[nodiscard]] bool has_unneeded() const { return has_unneeded_; }

  // Joins: one layer takes the place of several neighbours. The states between them are gone then;
  // that of the newest stays. The thread that seals makes these calls; between the first and the
  // last it may seal, but makes no base. Only reading the old layers and loading the new one, which
  // take long, may be done in another thread (delta/store/join/stack_join.h).

  /// The bytes of the disk that a join of layers needs until they are gone, an upper bound. Errors:
  /// kIo.
  [[nodiscard]] Result<std::uint64_t> bytes_to_join(const LayerRange& layers) const;
  /// First step: takes a number for the directory of the joined layer, durably. It is never used
  /// again, so that whatever a crash leaves there is known as a leftover. Errors: kInvalidArgument
  /// (fewer than two layers; not all are layers with states; a state below the newest has a name or
  /// pins), kNoSpace (with the bytes that it needs), kLimit (there is no higher number),
  /// kPermission (opened for reading), kIo.
  [[nodiscard]] Result<JoinPlan> begin_join(const LayerRange& layers);
  /// Ends a join that is not committed, and removes the files that it has made. If that fails, the
  /// next opening for writing removes them.
  void give_up(const JoinPlan& plan) noexcept;
  /// Second step, once the layer is made: checks and opens it. Errors: kChanged (the layers are not
  /// neighbours any more, or a state below the newest has got a name or pins), kCorrupt (it is not
  /// the layer of the plan); those of Store::open() and Store::start().
  [[nodiscard]] Result<PreparedJoin> prepare_join(const JoinPlan& plan) const;
  /// Third step: changes the manifest, durably. No other call has changed it since the second. From
  /// then on stores() has the joined layer; the others stay on disk until remove_unneeded().
  /// Errors: kIo, kNoSpace: afterwards the manifest has the old stack or the new one.
  [[nodiscard]] Status commit_join(PreparedJoin join);
  /// How many files and stores the opening has removed that interrupted seals and merges had left.
  [[nodiscard]] std::size_t leftovers() const { return leftovers_; }

  // Updates: changes that become the newest state all at once. They go into a store that the
  // manifest does not name before the end. Nobody else changes the delta meanwhile. A crash leaves
  // the old stack or the new one; the next opening for writing removes the rest.

  /// Whether an update could be made. Errors: those of check_seal(); kExists only if another state
  /// than the newest has the name.
  [[nodiscard]] Status check_update(const SealRequest& request) const;
  /// First step: makes and opens a store. Then it is newest(), and manifest() and stores() have it
  /// above all others. If the one below it has changes, these become a state of their own.
  /// @param end_of_objects  it is born there; above the object numbers that other stores have
  /// Errors: those of check_seal() and Store::open(). After an error call give_up_update().
  [[nodiscard]] Status begin_update(const SealRequest& request, std::uint64_t end_of_objects);
  /// Last step: makes the update the newest state, durably, with an empty store over it. Call it
  /// after close(), when nobody uses stores() any more. No other call may follow but manifest().
  /// @param end_of_objects  above the object numbers that the update's store has
  /// Errors: kIo, kNoSpace: the manifest may have the old stack or the new one; kCorrupt (of
  /// numbers that no manifest may have).
  [[nodiscard]] Result<SealOutcome> commit_update(std::uint64_t end_of_objects);
  /// Instead of the last step: removes the update's store, unless the manifest may name it. Nobody
  /// uses the store any more. Does nothing if no update is under way.
  void give_up_update() noexcept;

  /// Store::start() of each store. Errors: those of it.
  [[nodiscard]] Status start();
  /// Only for the thread that seals, or while nobody seals.
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// The manifest as it is now.
  [[nodiscard]] Manifest present_manifest() const {
    const std::lock_guard lock(mutex_);
    return manifest_;
  }
  /// The modes that the opening has changed, so that only the owner has permissions.
  [[nodiscard]] const Privacy& privacy() const { return privacy_; }
  /// From the oldest to the newest. A generation of a view may keep them beyond the delta.
  [[nodiscard]] std::vector<std::shared_ptr<Store>> stores() const {
    const std::lock_guard lock(mutex_);
    return stores_;
  }
  /// When the newest state was made; none: there is none.
  [[nodiscard]] std::optional<Time> last_seal() const;
  /// Bytes of the disk that all stores but the newest take, with their free space.
  [[nodiscard]] std::uint64_t sealed_bytes() const {
    const std::lock_guard lock(mutex_);
    return sealed_bytes_;
  }
  /// As manifest(); others call newest_store().
  [[nodiscard]] Store& newest() const { return *newest_store(); }
  [[nodiscard]] std::shared_ptr<Store> newest_store() const {
    const std::lock_guard lock(mutex_);
    return stores_.back();
  }
  /// Store::close() of the newest.
  [[nodiscard]] Status close() { return newest().close(); }

 private:
  DeltaDirectory(storage::Env& env, std::string directory, const StoreOptions& options,
                 LockedManifest locked)
      : env_(env),
        directory_(std::move(directory)),
        options_(options),
        lock_(std::move(locked.file)),
        privacy_(std::move(locked.privacy)),
        manifest_(std::move(locked.manifest)) {}

  /// An update between its first and its last step.
  struct UpdateUnderWay {
    Manifest before;
    SealRequest request;
    bool is_replacing = false;  ///< the store below it has no changes, and goes
    bool is_named = false;      ///< the manifest may name the update's store
    std::string path;           ///< of that store
    std::string next_path;      ///< of the store that will lie over it
  };

  [[nodiscard]] Status check_name(const SealRequest& request) const;
  [[nodiscard]] Time time_of_seal() const;
  [[nodiscard]] Manifest manifest_of_update(std::uint64_t end_of_objects) const;
  [[nodiscard]] Status finish_update();
  [[nodiscard]] Status rewrite(Manifest next);
  [[nodiscard]] Status open_stores();
  [[nodiscard]] Result<std::shared_ptr<Store>> open_store(std::size_t index) const;
  /// A layer that a crash has left with its log.
  [[nodiscard]] Status close_left_layer(const StackedStore& layer, StoreOptions options) const;
  [[nodiscard]] Status finish_layer(Store& store, const StackedStore& layer) const;
  [[nodiscard]] std::string path_of(const StackedStore& store) const;
  [[nodiscard]] Status check_space() const;
  [[nodiscard]] Status check_join(const LayerRange& layers) const;
  [[nodiscard]] Status check_space_to_join(std::uint64_t bytes_needed) const;
  [[nodiscard]] Result<std::uint64_t> free_bytes() const;
  /// Bytes below the cap that the newest store must leave.
  [[nodiscard]] std::uint64_t bytes_of_others() const;
  void renew_cap();

  storage::Env& env_;
  const std::string directory_;
  const StoreOptions options_;
  std::unique_ptr<storage::File> lock_;  ///< the manifest; null: only layers are open
  const Privacy privacy_;
  std::size_t leftovers_ = 0;
  std::atomic<bool> has_unneeded_ = false;
  HeldBase held_;         ///< of the thread that seals
  HeldBase held_before_;  ///< the last base, until remove_unneeded(); the same
  /// Numbers of the directories of joins that were begun, and bytes that these need; of the thread
  /// that seals.
  std::map<std::uint64_t, std::uint64_t> being_joined_;
  std::optional<UpdateUnderWay> update_;

  mutable std::mutex
      mutex_;  ///< innermost; guards what follows. Only the thread that seals changes it
  Manifest manifest_;
  std::vector<std::shared_ptr<Store>> stores_;
  std::uint64_t sealed_bytes_ = 0;
  std::uint64_t closing_bytes_ = 0;  ///< of these, in a layer that is being closed
};

/// Removes the directories of layers that merges or joins have taken, of joins that were cut off,
/// of empty stores that updates have replaced, and of stores that a rollback has left, unless a
/// process uses them. Errors: kIo.
/// @param kept  numbers of directories that are being made
[[nodiscard]] Result<Removal> remove_absorbed_stores(storage::Env& env,
                                                     const std::string& directory,
                                                     const Manifest& manifest,
                                                     const std::set<std::uint64_t>& kept = {});

/// Locks and reads the manifest of a delta; kReadOnly takes a shared lock. For kReadWrite it mends
/// the manifest, and makes the delta private. Errors: those of DeltaDirectory::open().
[[nodiscard]] Result<LockedManifest> lock_manifest(storage::Env& env, const std::string& directory,
                                                   StoreAccess access);
/// Reads the manifest without a lock: beside a process that has the delta open for writing, it may
/// change at any time. Errors: those of read_manifest(); kNotFound.
[[nodiscard]] Result<Manifest> read_present_manifest(storage::Env& env,
                                                     const std::string& directory);
/// The manifest as it is now, and its base. Moved, not copied.
struct PresentBase {
  Manifest manifest;
  HeldBase held;
};
/// Reads the manifest without a lock, beside a process that may have the delta open for writing,
/// and holds its base. Errors: those of read_present_manifest() and HeldBase::hold().
[[nodiscard]] Result<PresentBase> hold_present_base(storage::Env& env,
                                                    const std::string& directory);
/// Checks that a superblock belongs to the store of number `index` in the stack. A layer that was
/// not closed may end before its last batch, which is then in its log. Errors: kCorrupt, with file
/// and field.
/// @param directory  of the delta
[[nodiscard]] Status check_stacked(const Superblock& superblock, const Manifest& manifest,
                                   std::size_t index, const std::string& directory);
/// Checks that a layer has its last batch; always true of the store that is written to. Errors:
/// kCorrupt, with the file.
/// @param sequence   of the last batch in its tree or its log
/// @param directory  of the delta
[[nodiscard]] Status check_layer_end(std::uint64_t sequence, const Manifest& manifest,
                                     std::size_t index, const std::string& directory);

}  // namespace dgfs::delta
