// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What extract() is told, and what it tells.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dgfs::reader {

/// How far extract() has come. A value.
struct ExtractProgress {
  std::uint64_t entries = 0;              ///< written so far
  std::uint64_t entries_total = 0;        ///< of the image
  std::uint64_t content_bytes = 0;        ///< written so far
  std::uint64_t content_bytes_total = 0;  ///< of the image
};

/// Bytes of a file's contents that are damaged. A value.
struct LostRange {
  std::uint64_t begin = 0;  ///< in the file
  std::uint64_t end = 0;    ///< behind the last one
};

/// What an attribute is of, as far as it fails or is left out by itself.
enum class AttributeKind : std::uint8_t {
  kOwner,  ///< user and group, and what is left out where they could not be set
  kXattr,  ///< an extended attribute that is no ACL
  kAcl,    ///< a POSIX ACL
  kMode,   ///< permissions
  kTimes,  ///< of access and modification
  kAll,    ///< those that could not be read, whichever they are
};

/// An attribute that an entry was written without. A value.
struct LostAttribute {
  AttributeKind kind = AttributeKind::kAll;  ///< what it is of
  /// That of an xattr or ACL, or "owner", "mode", "set-id bits", "times", "xattrs" or "attributes".
  std::string name;
};

/// What of an image is restored besides contents and names. A value.
struct RestoreChoice {
  /// Owner, device nodes, privileged xattrs and capabilities: attempted if true (root). Else
  /// device nodes are reported and counted, and the rest is skipped silently, as tar does for
  /// ordinary users.
  bool privileged = false;
  bool devices = true;  ///< else device nodes are left out without a word
  bool xattrs = true;   ///< else none is set that is no ACL, capabilities among them
  /// Else POSIX ACLs are neither set nor removed: what is made has those it inherits from its
  /// directory. A group gets no more than the ACL of the image gives it.
  bool acls = true;
};

/// What to extract, and how. What its members refer to must outlive the call; several threads may
/// share it unchanged.
struct ExtractOptions : RestoreChoice {
  std::vector<std::string> paths;  ///< in the image; empty = everything
  /// Which entries are written, by path and whether it is a directory; a directory that is not
  /// wanted is left out with all that is below. Not asked about the root. A pure function; unset:
  /// all are wanted.
  std::function<bool(std::string_view path, bool is_directory)> wanted;
  unsigned jobs = 0;  ///< writing threads; 0 = one per core
  /// Report failures and go on; else the first one ends it. An entry whose attributes cannot be
  /// set is written all the same if true, else not written.
  bool keep_going = false;
  /// Set: each file whose contents are damaged is read to its end all the same, and each range of
  /// it that is lost is told before `failed`. Called by one thread at a time.
  std::function<void(const std::string& path, const LostRange& range, const Error& error)>
      lost_range;
  /// With lost_range: a file that has lost a part is written with holes in place of it, and is not
  /// told to `failed`. Else it is not written.
  bool partial = false;
  /// Called by one thread at a time.
  std::function<void(const std::string& path, const Error& error)> failed;
  /// An attribute that an entry was written without, each once; without keep_going, the one that
  /// ended it. `error` names neither. Called likewise.
  std::function<void(const std::string& path, const LostAttribute& attribute, const Error& error)>
      lost_attribute;
  /// Of a file with several names: that `path` was made once more instead of linked, and why not:
  /// the file system allows no more names of a file, or none. No failure. Called likewise.
  std::function<void(const std::string& path, const Error& why)> copied;
  std::function<void(const ExtractProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;               ///< ends early with kInterrupted
};

/// What extract() did. A value.
struct ExtractReport {
  std::uint64_t entries = 0;          ///< written, also those with lost attributes
  std::uint64_t content_bytes = 0;    ///< written
  std::uint64_t failures = 0;         ///< each reported to `failed`
  std::uint64_t partial_files = 0;    ///< written with holes in place of what is lost
  std::uint64_t devices_refused = 0;  ///< device nodes that the user may not make
  std::uint64_t lost_attributes = 0;  ///< of what was written, each told to `lost_attribute`
  std::uint64_t further_copies = 0;   ///< made instead of hard links, each told to `copied`
};

}  // namespace dgfs::reader
