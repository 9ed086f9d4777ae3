#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Switches each mechanism of the store off by a change of a line or two, and runs the tests that
must fail then. A test that still passes does not guard the mechanism.

Works on a copy of the checkout's sources, which it builds with the preset dev.

  switched_off.py                   runs all; takes as long as some dozens of builds
  switched_off.py --only NAME ...   runs mechanisms with NAME in their names
  switched_off.py --list            lists names, files and tests
  switched_off.py --check           checks only that each text to change occurs once
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PRESET = "dev"
TEST_SECONDS_MAX = 1200
TESTS = "delta_test"
MEMORY = "delta_memory_test"


@dataclass
class Mechanism:
    """`old` occurs once in `file`. With `new` in its place, each of `fails`, a filter of
    GoogleTest, must have at least one test that fails.
    """
    name: str
    file: str
    old: str
    new: str
    fails: list = field(default_factory=list)
    program: str = TESTS


STORE = "delta/store/"
MECHANISMS = [
    Mechanism("seals: a batch belongs to the stack that it was decided on",
              "delta/view/generations.h",
              "    if (live_ != &generation.live()) return std::nullopt;\n", "",
              ["GenerationsTest.AChangeOfAnOlderGenerationIsDecidedAgain"],
              program="view_threads_test"),
    Mechanism("seals: a fresh store calls nothing durable before the manifest names it",
              STORE + "store.cpp",
              "  log_.wait_until_released();\n  if (durable() >= sequence)",
              "  if (durable() >= sequence)",
              ["SealOrder.ASyncOfAnEarlierChangeWaitsAsWell"], program="view_seal_test"),
    Mechanism("seals: a fresh store makes no checkpoint before the manifest names it",
              STORE + "commit_log.cpp",
              "  wait_until_released();\n  Checkpoint begun;\n", "  Checkpoint begun;\n",
              ["SealOrder.ACheckpointWaitsAsWell"], program="view_seal_test"),
    Mechanism("layers: a filter that the union leaves out is asked itself",
              "delta/view/generation.cpp",
              "    const auto& left_out = filters_->left_out();\n"
              "    if (std::any_of(left_out.begin(), left_out.end(), may_have)) return true;\n", "",
              ["SealTest.AFullFilterIsAskedItself"], program="view_seal_test"),
    Mechanism("seals: a layer is closed after operations that began in a renewed generation",
              "delta/view/sealer.cpp", "  renewed_ = renew_generation();\n",
              "  static_cast<void>(renew_generation());\n",
              ["SealerTest.WaitsForOperationsThatBeganWhileTheLastLayerWasClosed"],
              program="view_seal_test"),
    Mechanism("seals: a layer is closed after operations that began before the switch",
              "delta/view/sealer.cpp",
              "    if (!wait_for_end(generation)) return given_up;\n",
              "    static_cast<void>(generation);\n",
              ["SealerTest.WaitsForOperationsThatBeganBeforeTheSwitch"],
              program="view_seal_test"),
    Mechanism("layers: one with a log must reach its last batch",
              STORE + "directory/delta_directory.cpp",
              "  if (store.sequence() == layer.layer.last_sequence) return ok();\n",
              "  if (store.sequence() <= layer.layer.last_sequence) return ok();\n",
              ["LayersTest.ALayerThatLostItsLastGroupIsDamaged"], program="delta_layers_test"),
    Mechanism("layers: what an interrupted seal has left is removed",
              STORE + "directory/delta_directory.cpp",
              "    DGFS_CHECK(remove_leftovers(env, directory, delta->manifest_));\n", "",
              ["LayersTest.ACrashLeavesTheOldStackOrTheNewAndNoLeftovers"],
              program="delta_layers_test"),
    Mechanism("large values: parts are read alone", STORE + "extent/large_value.cpp",
              "  if (end - first == place.sums.size()) {\n", "  if (end - first != 0) {\n",
              ["ValueParts.AreReadAlone", "ValueParts.AreCheckedAlone"]),
    Mechanism("memtable: values are put together without the lock of readers",
              STORE + "table_stack.cpp",
              "  if (table_.copies_at_most(batch) > kCopiedBytesMax) {\n",
              "  if (table_.copies_at_most(batch) == SIZE_MAX) {\n",
              ["TableStackMemory.APatchThatGrowsIsPutTogetherElsewhere"], program=MEMORY),
    Mechanism("patches: one that is shared is copied before it changes",
              STORE + "message/patch.cpp",
              "  } else if (shared_->use_count() > 1) {\n",
              "  } else if (shared_->use_count() > 1000) {\n",
              ["Patch.CopiesAreIndependent", "Seeds/SnapshotTest.*"]),
    Mechanism("holes: an opened store finds them", STORE + "maintenance.cpp",
              "  DGFS_CHECK(files_.values.file().find_holes());\n", "",
              ["DeadSpace.IsKnownAgainWhenTheStoreIsOpened"]),
    Mechanism("holes: long free stretches go back to the disk", STORE + "disk/block_file_holes.cpp",
              "  bool has_more = can_punch_;\n", "  bool has_more = false;\n",
              ["PunchedBlockFile.GivesBackWhatIsFree",
               "DeadSpace.OfWhatIsSaidToBeDeadIsFreeAfterACheckpoint"]),
    Mechanism("holes: a block that finds no space in one goes elsewhere",
              STORE + "disk/block_file.cpp",
              "    if (const auto found = find_solid(length_bytes)) {\n",
              "    if (const auto found = find_solid(UINT64_MAX)) {\n",
              ["PunchedBlockFile.IsWrittenToElsewhereWhereAHoleFindsNoSpace"]),
    Mechanism("dead ranges go down early", STORE + "maintenance.cpp",
              "    DGFS_CHECK(free_dead(dead));\n", "    static_cast<void>(dead);\n",
              ["DeadSpace.OfWhatIsSaidToBeDeadIsFreeAfterACheckpoint"]),
    Mechanism("dead ranges: a checkpoint moves so much and no more", STORE + "tree/flusher.cpp",
              "  has_left_ = has_left_ || made_bytes_ >= down_end_bytes_;\n", "",
              ["DeadSpace.OfALongRangeIsFreeAfterSomeCheckpoints"]),
    Mechanism("leaf pruning", STORE + "tree/flusher.cpp",
              "      clear(node.height(), slots[i]);\n", "",
              ["StoreCost.CoveredBasementsAreFreedUnread",
               "StoreCost.ARangeThatIsWrittenAnewIsNotRead",
               "LargeValues.GoUnreadWithARangeThatIsDeleted", "*FullDisk.RemovingMakesRoom*"]),
    Mechanism("admission: ordinary batches are refused without a reserve",
              STORE + "space_reserve.cpp",
              "  if (request.batch_class == BatchClass::kOrdinary && !request.removes_only) "
              "return false;\n", "",
              ["SpaceReserveTest.HasAnAllowanceForEachClass"]),
    Mechanism("admission: batches that are on their way are counted", STORE + "space_reserve.cpp",
              "  unmeasured_ = admitted_;\n", "  unmeasured_ = {};\n",
              ["SpaceReserveTest.HasAnAllowanceForEachClass"]),
    Mechanism("admission: a batch that has to wait is not taken in", STORE + "store.cpp",
              "  if (!admission || has_to_wait(room, patience)) "
              "return std::optional<std::uint64_t>();\n",
              "  if (!admission) return std::optional<std::uint64_t>();\n"
              "  static_cast<void>(has_to_wait(room, patience));\n",
              ["TryApply.IsBusyAsSoonAsAGroupIsFull"]),
    Mechanism("sync by number: one that no batch has is refused", STORE + "store.cpp",
              "  if (sequence > tables_.sequence()) {\n", "  if (sequence == UINT64_MAX) {\n",
              ["Durability.IsToldByNumber"]),
    Mechanism("late binding: no value is large", STORE + "disk/parameters.h",
              "    return {inline_bytes, kValuesOfPiece * inline_bytes};\n",
              "    return {kValueBytesMax, kValueBytesMax};\n",
              ["LargeValues.AreWrittenOnce", "LargeValues.ThatCannotBeCompressedAreWrittenOnce",
               "LargeValues.AreInTheLogByTheirPlaceAlone"]),
    Mechanism("late binding: by how changes came", STORE + "run/late_binding.cpp",
              "{ return may_change(point, bounds); };\n",
              "{ return may_change(point, bounds) && false; };\n",
              ["LateBinding.WhatIsWrittenInOrderIsWrittenOnceByCallsOfAnyLength",
               "LateBinding.WhatDiesInItsGroupIsNeverWritten"]),
    Mechanism("null binding: values are bound when they are taken in", STORE + "intake.cpp",
              "  if (message.value) return Message::put(std::make_shared",
              "  if (const auto place = volume.file().write(as_bytes(*message.value)); place) {\n"
              "    auto large = std::make_shared<const LargeValue>(message.value, volume);\n"
              "    large->bind_to(ValuePlace::of(place.value().offset_bytes, "
              "as_bytes(*message.value)));\n"
              "    return Message::put(std::move(large));\n"
              "  }\n"
              "  if (message.value) return Message::put(std::make_shared",
              ["LargeValues.ThatDieBeforeTheirGroupIsLoggedAreNeverWritten",
               "LargeValues.OfALongRangeDeleteAreNeverWritten"]),
    Mechanism("blind patches: each change reads its key first", STORE + "store.cpp",
              "  DGFS_CHECK(check_batch(batch));\n",
              "  DGFS_CHECK(check_batch(batch));\n"
              "  for (const Operation& each : batch.operations()) {\n"
              "    const auto* change = std::get_if<PointChange>(&each);\n"
              "    if (change != nullptr) static_cast<void>(get(change->key));\n"
              "  }\n",
              ["StoreCost.ChangesReadNothing", "LargeValues.AreChangedWithoutBeingRead"]),
    Mechanism("groups: each batch is logged by itself", STORE + "store.cpp",
              "  if (tending_ != nullptr) charge(size);\n",
              "  DGFS_CHECK(sync());\n  if (tending_ != nullptr) charge(size);\n",
              ["StoreCost.ASmallChangeTakesItsOwnBytesAndSixteenInTheLog",
               "LargeValues.ThatDieBeforeTheirGroupIsLoggedAreNeverWritten"]),
    Mechanism("search of range tombstones", STORE + "run/range_tombstones.cpp",
              "  const auto behind = map_.upper_bound(key);\n",
              "  auto behind = map_.begin();\n"
              "  while (behind != map_.end() && behind->first <= key) ++behind;\n",
              ["RangeTombstones.AHundredThousandAreSearchedAboutAsFastAsAThousand"]),
    Mechanism("cleaning", STORE + "tree/tree_cleaner.cpp",
              "  note_read(*root);\n", "  if (root) return root;\n",
              ["StoreCleaning.*", "*FullExtentVolume.AValueFindsSpaceThatIsInPieces*"]),
    Mechanism("cleaning for a batch", STORE + "maintenance.cpp",
              "    if (is_cleaning_in_vain()) return false;\n",
              "    if (is_cleaning_in_vain() || true) return false;\n",
              ["*FullExtentVolume.AValueFindsSpaceThatIsInPieces*"]),
    Mechanism("values that are kept", STORE + "extent/large_value.cpp",
              "    if (!std::exchange(was_read_, true)) return value;\n",
              "    if (!std::exchange(was_read_, true) || value) return value;\n",
              ["KeptLargeValues.*"]),
    Mechanism("no announcement of what is in memory", STORE + "snapshot/value_ahead.cpp",
              "  if (!has_waited_) return;\n", "",
              ["CursorValueAhead.WhatIsAtHandIsNotAnnounced"]),
    Mechanism("announcement of a leaf", STORE + "snapshot/view.cpp",
              "    is_next_ = !basement->was_read() &&",
              "    is_next_ = false && !basement->was_read() &&",
              ["LargeValueLookups.AnnounceOnceWhatTheirLeafHas"]),
    Mechanism("shorter files", STORE + "disk/block_file_cut.cpp",
              "  if (!cut_file()) return;\n", "  if (cut_end_bytes_ != 0) return;\n",
              ["StoreCleaning.*", "LargeValues.GiveTheEndOfTheirFileBackToTheDisk"]),
    Mechanism("copies of a persistent map: shared nodes are changed",
              STORE + "run/persistent_map.h",
              "    if (node->is_shared()) node = Ref(new Node(*node));\n",
              "    static_cast<void>(node);\n",
              ["PersistentMap.CopiesAreIndependent",
               "*SnapshotTest.StaysAsItWasWhateverComesLater*"]),
    Mechanism("stretches that a message cursor stands in", STORE + "snapshot/message_cursor.cpp",
              "  return is_before(key_, end) ? &end : nullptr;\n",
              "  static_cast<void>(end);\n  return nullptr;\n",
              ["*MessageCursorOver.GivesWhatTheOperationsMakeOfTheLowerLayer*"]),
    Mechanism("young objects have nothing below", STORE + "run/run_parts.cpp",
              "(point.kind == MessageKind::kErase || is_young(point.key, born_object));\n",
              "(point.kind == MessageKind::kErase);\n",
              ["StackOfTwo.DeadShortLivedNamesLeaveNothing"]),
    Mechanism("erasures are gone at the lowest level", STORE + "run/run_parts.cpp",
              "(point.kind == MessageKind::kErase || is_young(point.key, born_object));\n",
              "(is_young(point.key, born_object));\n",
              ["StackOfTwo.DeadShortLivedNamesLeaveNothing"]),
    Mechanism("a walk of a stack seeks past what is covered", STORE + "snapshot/stack_cursor.cpp",
              "      DGFS_CHECK(cursor.seek(**cover));\n", "      DGFS_CHECK(cursor.next());\n",
              ["StackOfTwo.AWalkSeeksPastWhatIsCovered"]),
    Mechanism("zeros are not carried", STORE + "message/patch.cpp",
              "  return kEditBytes + (lengthens(edit) ? length : 0);\n",
              "  return kEditBytes + length;\n",
              ["Patch.CarriesNoZeros"]),
    Mechanism("the filter is told of a batch", STORE + "table_stack.cpp",
              "  DGFS_CHECK(filter_.add(batch));", "  //",
              ["StoreFilter*"]),
    Mechanism("the lock of who writes", STORE + "store_files.cpp",
              "  DGFS_CHECK(superblocks.value()->lock());\n", "",
              ["Store.IsOpenOnce", "*StoreReadOnly.AreOpenBesideEachOtherAndNotBesideAWriter*"]),
    Mechanism("the lock of who reads", STORE + "store_files.cpp",
              "  DGFS_CHECK(superblocks->lock_shared());\n", "",
              ["*StoreReadOnly.AreOpenBesideEachOtherAndNotBesideAWriter*"]),
    Mechanism("a store that is closed says that its log is empty", STORE + "maintenance.cpp",
              "  next.log.is_end = is_closing_ &&", "  next.log.is_end = false && is_closing_ &&",
              ["StoreOpening.OfAStoreThatWasClosedReadsTheBeginsOfItsSegmentsAlone"]),
    Mechanism("a store that is opened takes back that its log is empty", STORE + "maintenance.cpp",
              "  if (!superblock_.log.is_end) return ok();\n",
              "  if (!superblock_.log.is_end || true) return ok();\n",
              ["StoreOpening.MissesAFirstGroupWhoseWriteWasLostAfterAClose"]),
    Mechanism("the second slot of a manifest", STORE + "directory/manifest.cpp",
              "  ++manifest.generation;\n", "  if (manifest.generation != 0) return ok();\n",
              ["ManifestTest.TheOtherSlotStandsInForOneThatIsLost"]),
    Mechanism("views keep what is retired", STORE + "tree/retired_blocks.h",
              "    return retired_.front().hold.expired() ? &retired_.front() : nullptr;\n",
              "    return &retired_.front();\n",
              ["HeldSpace.IsToldWithWhoHoldsIt", "*SnapshotTest.StaysAsItWasWhateverComesLater*"]),
    Mechanism("no memory: subtrees that were cut off are told later", STORE + "live_tree.cpp",
              "      tell_space(*free);\n", "      free->subtrees.clear();\n",
              ["StoreWorkMemoryTest.MaintenanceIsDoneOrUndone"], MEMORY),
    Mechanism("no memory: a subtree is told as a whole", STORE + "live_tree.cpp",
              "    space.blocks.resize(blocks);\n", "    static_cast<void>(blocks);\n",
              ["StoreWorkMemoryTest.MaintenanceIsDoneOrUndone"], MEMORY),
    Mechanism("no memory: what is not freed stays retired", STORE + "live_tree.cpp",
              "      files_.give_back(free->space);\n",
              "      UsedSpace space = std::exchange(free->space, {});\n"
              "      files_.give_back(space);\n",
              ["StoreWorkMemoryTest.ACheckpointIsDoneOrUndone"], MEMORY),
    Mechanism("space maps: values that the log alone has are free",
              STORE + "extent/extent_volume.h",
              "    space.add(std::move(free));\n", "", ["StoreSpaceMaps.*"]),
    Mechanism("space maps: what trees before have is free", STORE + "space_blocks.cpp",
              "  blocks.add(padded(std::move(spare.blocks)));\n", "", ["StoreSpaceMaps.*"]),
    Mechanism("filter: a stage that is not read has nothing for sure",
              STORE + "filter/prefix_filter.cpp",
              "  if (!has(prefix, Certainty::kSure)) {\n",
              "  if (!has(prefix, Certainty::kMaybe)) {\n",
              ["FilterBlocksTest.FullStagesAreReadLater"]),
    Mechanism("no memory: dropped values that are not freed stay", STORE + "extent/extent_volume.h",
              "      dropped_.splice(dropped_.begin(), free);\n", "",
              ["ExtentVolumeMemory.ADroppedValueWaitsUntilItCanBeFreed"], MEMORY),
    Mechanism("no memory: a tree that is not to be gives its space back", STORE + "cleaning.cpp",
              "    left_ = cleaner.take_taken();\n",
              "    static_cast<void>(cleaner.take_taken());\n",
              ["StoreWorkMemoryTest.ACleaningThatIsUndoneLosesNoSpace"], MEMORY),
    Mechanism("no memory: a copy that throws is not noted as made",
              STORE + "tree/tree_cleaner.cpp",
              "  auto to = file.write_before_end(block);\n",
              "  taken.emplace_back();\n"
              "  auto to = file.write_before_end(block);\n"
              "  taken.pop_back();\n",
              ["StoreWorkMemoryTest.ACleaningThatIsUndoneLosesNoSpace"], MEMORY),
    Mechanism("no memory: a write that throws gives its space back",
              STORE + "disk/block_file.cpp",
              "    give_back(taken);\n    throw;\n", "    throw;\n",
              ["BlockFileMemory.*", "StoreWorkMemoryTest.ACheckpointIsDoneOrUndone"], MEMORY),
    Mechanism("no memory: it does so without any", STORE + "disk/block_file.cpp",
              "  unnoted_.splice(unnoted_.end(), taken);\n", "  space_.give_back(taken.front());\n",
              ["BlockFileMemory.*"], MEMORY),
    Mechanism("no memory: values that were written are bound", STORE + "extent/value_binder.cpp",
              "  ~Binding() {\n",
              "  ~Binding() {\n    if (std::uncaught_exceptions() != 0) return;\n",
              ["ExtentVolumeMemory.AValueThatWasWrittenHasItsPlaceAlsoIfTheNextOneThrows"], MEMORY),
    Mechanism("no memory: taking space needs none", STORE + "disk/space_map.cpp",
              "    add({extent.end_bytes(), stretch_bytes - length_bytes}, std::move(removed));\n",
              "    add({extent.end_bytes(), stretch_bytes - length_bytes});\n",
              ["SpaceMapMemory.TakingNeedsNoneAndGivingBackLosesNothing"], MEMORY),
    Mechanism("no memory: a group that was taken stays until it is logged",
              STORE + "commit_log.cpp",
              "  for (const MemtableRef& table : taken_.tables) {\n",
              "  for (const auto& table : std::exchange(taken_.tables, {})) {\n",
              ["GroupMemory.WhoeverSyncsNextHasAllThatWasTaken"], MEMORY),
    Mechanism("no memory: a close that is refused closes nothing", STORE + "maintenance.cpp",
              "    ended_.is_closing_ = false;\n", "",
              ["StoreWorkMemoryTest.AStoreThatCouldNotBeClosedGoesOn"], MEMORY),
    Mechanism("no memory: a write of the log that throws ends writing", STORE + "log/log.cpp",
              "    return std::move(unknown_);\n", "    throw;\n",
              ["*ThrownWrite.EndsWritingWhereItLeavesTheDiskUnknown/0",
               "*ThrownWrite.EndsWritingWhereItLeavesTheDiskUnknown/1"], MEMORY),
    Mechanism("no memory: a write of a superblock that throws ends writing",
              STORE + "maintenance.cpp",
              "    return std::move(unknown_);\n", "    throw;\n",
              ["*ThrownWrite.EndsWritingWhereItLeavesTheDiskUnknown/2",
               "*ThrownWrite.EndsWritingWhereItLeavesTheDiskUnknown/3"], MEMORY),
    Mechanism("no memory: a sync of blocks that throws ends writing",
              STORE + "disk/block_file.cpp",
              "    if (!sync_failure_) sync_failure_ = std::move(unknown_sync_);\n"
              "    return *sync_failure_;\n",
              "    throw;\n",
              ["*ThrownWrite.EndsWritingWhereItLeavesTheDiskUnknown/4",
               "*ThrownWrite.EndsWritingWhereItLeavesTheDiskUnknown/5"], MEMORY),
    Mechanism("no memory: a sync whose error finds none ends writing", STORE + "failure.h",
              "      note_unknown();\n", "", ["ThrownSync.EndsWritingWhereMemoryStaysAway"],
              MEMORY),
    Mechanism("filter: replayed groups are not added", STORE + "table_stack.cpp",
              "  filter_.add(*run);\n", "",
              ["*StoreFilter.LetsThroughWhatTheLogHas*",
               "*StoreFilter.LetsThroughWhatAStopLeaves*"]),
    Mechanism("filter: what has changed is not written", STORE + "filter/filter_blocks.cpp",
              "stage < stages_.size() && stages_[stage].count == filter_.stage(stage).count();",
              "stage < stages_.size();",
              ["FilterBlocksTest.WhatHasNotChangedStaysWhereItIs",
               "*StoreFilter.LetsThroughWhatWasTouched*"]),
    Mechanism("filter: it is free at once", STORE + "filter/filter_blocks.cpp",
              "retired_.push_back(place.extent());", "file_.free(place.extent());",
              ["FilterBlocksTest.WhatIsReplacedIsFreeAfterTheNextCheckpoint"]),
    Mechanism("filter: it stays at the end", STORE + "filter/filter_blocks.cpp",
              "    if (move_before(begin_bytes, taken)) return;\n",
              "    static_cast<void>(begin_bytes);\n",
              ["FilterBlocksTest.LeavesTheEndOfTheFile"]),
    Mechanism("filter: its space is not marked", STORE + "maintenance.cpp",
              "  filter_.mark_used_space();\n", "",
              ["StoreFilterDamage.KeepsItsSpaceWhereTheTreeIsWalked"]),
    Mechanism("filter: no space is kept for it", STORE + "space_reserve.cpp",
              "         filter_.bytes_to_write(", "         0 * filter_.bytes_to_write(",
              ["*StoreFilterOnAFullDisk.*"]),
    Mechanism("filter: damage denies", STORE + "filter/filter_blocks.cpp",
              "  filter_.add_all();\n", "",
              ["StoreFilterDamage.*", "FilterBlocksTest.WhatLiesOverOthersIsNotLoaded"]),
    Mechanism("filter: the check does not ask it", STORE + "filter/filter_check.cpp",
              "  if (!is_whole_ || filter_.older().empty()) return true;",
              "  return true;",
              ["StoreCheck.FindsObjectsThatTheFilterDenies"]),
]


def occurrences(mechanism, root):
    return (root / mechanism.file).read_text().count(mechanism.old)


def check(mechanisms, root):
    """Prints the errors in the table. Returns whether there are none."""
    wrong = [each for each in mechanisms if occurrences(each, root) != 1]
    for each in wrong:
        print(f"{each.name}: {each.file} has this {occurrences(each, root)} times, not once:\n"
              f"{each.old}")
    return not wrong


def sources():
    """Returns the paths of the checkout's files: those that git tracks or, without git, all except
    builds.
    """
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=SOURCE, capture_output=True, check=False)
    if listed.returncode == 0:
        paths = [pathlib.Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name]
    else:
        paths = [path.relative_to(SOURCE) for path in SOURCE.rglob("*")]
        paths = [path for path in paths if path.parts[0] not in ("build", ".git")]
    return [path for path in paths
            if (SOURCE / path).is_file() or (SOURCE / path).is_symlink()]


def copy_sources(root):
    """Copies files, and keeps the times of unchanged ones, so that they are not built again."""
    for path in sources():
        source, target = SOURCE / path, root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            if not target.is_symlink():
                target.symlink_to(os.readlink(source))
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)


class Copy:
    """A copy of the sources, and its build."""

    def __init__(self, root, jobs):
        self.root = root
        self.jobs = jobs
        copy_sources(root)
        self.run(["cmake", "--preset", PRESET, "--log-level=WARNING"], check=True)

    def run(self, command, **options):
        return subprocess.run(command, cwd=self.root, **options)

    def build(self, *programs):
        """Builds; returns the compiler's output if that fails, else an empty string."""
        built = self.run(["cmake", "--build", "--preset", PRESET, "--parallel", str(self.jobs),
                          "--target", *programs],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return "" if built.returncode == 0 else built.stdout

    def passes(self, program, test):
        """Returns whether all tests of a filter pass. A test that does not end in time fails."""
        command = [self.root / "build" / PRESET / "bin" / program, f"--gtest_filter={test}"]
        try:
            return self.run([*command, "--gtest_brief=1"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, timeout=TEST_SECONDS_MAX,
                            check=False).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def is_known(self, program, test):
        command = [self.root / "build" / PRESET / "bin" / program, f"--gtest_filter={test}",
                   "--gtest_list_tests"]
        listed = self.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        return any(line.startswith("  ") for line in listed.splitlines())

    def complaints_unchanged(self, mechanisms):
        """Returns complaints about the unchanged sources: tests that are missing or fail."""
        programs = sorted({each.program for each in mechanisms})
        output = self.build(*programs)
        if output:
            return [f"it does not build:\n{output}"]
        complaints = []
        for program, test in sorted({(each.program, test) for each in mechanisms
                                     for test in each.fails}):
            if not self.is_known(program, test):
                complaints.append(f"{program} has no test {test}")
            elif not self.passes(program, test):
                complaints.append(f"{test} fails where nothing is switched off")
        return complaints

    def complaints(self, mechanism):
        """Switches a mechanism off; returns complaints about tests that pass anyway."""
        path = self.root / mechanism.file
        text = path.read_text()
        path.write_text(text.replace(mechanism.old, mechanism.new))
        try:
            output = self.build(mechanism.program)
            if output:
                return [f"it does not build:\n{output}"]
            return [f"{test} passes" for test in mechanism.fails
                    if self.passes(mechanism.program, test)]
        finally:
            path.write_text(text)


def switch_off(mechanisms, copy):
    """Prints a table. Returns whether all tests failed that must fail."""
    complaints = copy.complaints_unchanged(mechanisms)
    for complaint in complaints:
        print(complaint, flush=True)
    if complaints:
        return False
    for number, mechanism in enumerate(mechanisms, 1):
        found = copy.complaints(mechanism)
        result = "; ".join(found) if found else f"{len(mechanism.fails)} failed, as they must"
        print(f"{number:3} of {len(mechanisms)}  {mechanism.name}: {result}", flush=True)
        complaints += found
    return not complaints


def show(mechanisms):
    for each in mechanisms:
        print(f"{each.name} ({each.file})")
        for test in each.fails:
            print(f"    {each.program} {test}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", action="append")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--scratch", type=pathlib.Path, metavar="DIR",
                        help="where the copy is built, and stays for the next time")
    options = parser.parse_args()
    mechanisms = [each for each in MECHANISMS
                  if options.only is None or any(name in each.name for name in options.only)]
    if not mechanisms:
        parser.error("no mechanism has this name")
    if options.list:
        show(mechanisms)
        return 0
    if not check(mechanisms, SOURCE):
        return 1
    if options.check:
        print(f"{len(mechanisms)} mechanisms can be switched off")
        return 0
    with tempfile.TemporaryDirectory(prefix="dgfs-switched-off-") as made:
        root = options.scratch.resolve() if options.scratch else pathlib.Path(made)
        return 0 if switch_off(mechanisms, Copy(root, options.jobs)) else 1


if __name__ == "__main__":
    sys.exit(main())
