// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Walkers: judges from requests which programs want only the names of a directory, as `find -name`
// does, and which ones also want the attributes of its files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "format/entry/entry.h"

namespace dgfs::fuse {

/// The parts that a reply to READDIRPLUS may leave out. A value.
struct ListingPlan {
  std::size_t probes = 0;      ///< so many files may come with attributes that hold for no time
  std::size_t bare_names = 0;  ///< so many files may come without an inode
  bool operator==(const ListingPlan&) const = default;
};

/// Not thread-safe. A walker is a thread of any process, so different threads of a program are
/// judged one by one.
///
/// A new walker gets its listings whole, but the attributes of the first files of each are
/// *probes*: they hold for no time, so the kernel asks for them if the walker wants them. If it
/// asks, the walker gets all attributes from then on. If the walker lists a directory elsewhere and
/// has left enough probes alone, it gets bare names: a number that grows with those that it has
/// left alone. A walker that pauses is judged anew, so a process that has got the number of an
/// earlier one is misjudged at most for a moment. Memory: a few KiB.
class Walkers {
 public:
  /// Number of a thread; 0: unknown, because it lives in another process namespace. Unknown walkers
  /// always get whole listings.
  using Id = std::uint32_t;
  using InodeNumber = format::InodeNumber;

  static constexpr std::uint64_t kPauseNs = 10'000'000'000;
  /// How many probes a listing has, and how many must be left alone.
  static constexpr std::size_t kProbes = 2;
  static constexpr std::size_t kBareNamesMin = 64;
  /// For one directory. A program that wants its attributes later has to ask for each name.
  static constexpr std::size_t kBareNamesMax = 4096;

  /// A walker asks for a directory from its beginning.
  /// @param now_ns  of the monotonic clock
  [[nodiscard]] ListingPlan begin(Id walker, InodeNumber directory, InodeNumber parent,
                                  std::uint64_t now_ns);
  /// A walker asks for a directory from another place.
  [[nodiscard]] ListingPlan go_on(Id walker, InodeNumber directory, std::uint64_t now_ns);
  /// A walker gets these probes and so many bare names.
  void gave(Id walker, std::span<const InodeNumber> probes, std::size_t bare_names);

  /// Somebody asks for the attributes of an object.
  void saw_attributes(InodeNumber inode);
  /// Bare names were looked up: all present walkers get whole listings.
  void stop_bare_names();

 private:
  enum class Verdict : std::uint8_t { kUnknown, kNames, kAttributes };
  struct Walker {
    Id id = 0;
    std::uint64_t used_ns = 0;
    Verdict verdict = Verdict::kUnknown;
    InodeNumber directory = 0;            ///< the last one that it listed
    std::array<InodeNumber, 8> probes{};  ///< of its last listings; 0: none
    std::size_t next_probe = 0;           ///< where the next one goes
    std::size_t probes_here = 0;          ///< in `directory`
    std::size_t left_alone = 0;           ///< probes in directories that it has left
    std::size_t bare_names = 0;           ///< that it has got
    std::size_t bare_names_left = 0;      ///< that it may still get in this listing
  };

  [[nodiscard]] Walker* find(Id id);
  [[nodiscard]] Walker& present(Id id, std::uint64_t now_ns);
  [[nodiscard]] static ListingPlan plan(const Walker& walker);

  std::array<Walker, 64> walkers_;
};

}  // namespace dgfs::fuse
