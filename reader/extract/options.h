// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Options and reports of extract().
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
  std::uint64_t begin = 0;  ///< offset in the file
  std::uint64_t end = 0;    ///< offset behind the last lost byte
};

/// Kinds of attributes that can fail, or be left out, independently of each other.
enum class AttributeKind : std::uint8_t {
  /// User and group, and the attributes left out because these could not be set.
  kOwner,
  kXattr,  ///< an extended attribute that is no ACL
  kAcl,    ///< a POSIX ACL
  kMode,   ///< permissions
  kTimes,  ///< access and modification time
  kAll,    ///< attributes that could not be read
};

/// An attribute that is missing at a written entry. A value.
struct LostAttribute {
  AttributeKind kind = AttributeKind::kAll;  ///< of the attribute
  /// Name of an xattr or ACL, or "owner", "mode", "set-id bits", "times", "xattrs", "inherited
  /// ACLs" or "attributes".
  std::string name;
};

/// The treatment of an entry if the destination has its name already. Directories that exist are
/// entered in any case.
enum class ExistingNames : std::uint8_t {
  kFail,  ///< it is a failure (kExists)
  /// The old object is left as it is, and so are the attributes of a directory that exists.
  kSkip,
  /// The old object is removed once the new one is complete, or before the new one is made if that
  /// is no regular file. A directory is removed only if it is empty.
  kReplace,
};

/// Attributes and objects to restore besides contents and names. A value.
struct RestoreChoice {
  /// true (for root): restores owners, device nodes, privileged xattrs and capabilities. false:
  /// reports and counts device nodes and skips the rest silently, as tar does for ordinary users.
  bool privileged = false;
  bool devices = true;  ///< false: device nodes are left out silently
  /// false: sets no xattrs but ACLs, so no capabilities either.
  bool xattrs = true;
  /// false: POSIX ACLs are neither set nor removed, so each new object keeps the ACL that it
  /// inherits from its directory. The group never gets more rights than the ACL of the image gives
  /// it.
  bool acls = true;
  ExistingNames existing = ExistingNames::kFail;  ///< the treatment of names that exist
};

/// What to extract, and how. The objects that its members refer to must outlive the call. Several
/// threads may share it unchanged.
struct ExtractOptions : RestoreChoice {
  std::vector<std::string> paths;  ///< in the image; empty = everything
  /// Says whether an entry is written, by its path and whether it is a directory. An unwanted
  /// directory is left out with everything below it. Not called for the root. Must be a pure
  /// function. Unset: all entries are wanted.
  std::function<bool(std::string_view path, bool is_directory)> wanted;
  unsigned jobs = 0;  ///< writing threads; 0 = one per core
  /// true: report failures and go on; an entry whose attributes cannot be set is still written.
  /// false: the first failure ends the call, and its entry is not written.
  bool keep_going = false;
  /// If set, a file with damaged contents is still read to its end, and each lost range is reported
  /// here before the file is reported to `failed`. Called by one thread at a time.
  std::function<void(const std::string& path, const LostRange& range, const Error& error)>
      lost_range;
  /// With lost_range: writes a damaged file with holes in place of the lost ranges, and does not
  /// report it to `failed`. false: does not write it.
  bool partial = false;
  /// Called for each entry that could not be written, by one thread at a time.
  std::function<void(const std::string& path, const Error& error)> failed;
  /// Called once for each attribute that a written entry lacks; without keep_going, for the
  /// attribute that ended the call. `error` names neither path nor attribute. Called by one thread
  /// at a time.
  std::function<void(const std::string& path, const LostAttribute& attribute, const Error& error)>
      lost_attribute;
  /// Called if `path`, a further name of a multiply linked object, was made as a copy because the
  /// file system allows no (more) hard links to the object; `why` is that error. A copy is no
  /// failure. Called by one thread at a time.
  std::function<void(const std::string& path, const Error& why)> copied;
  std::function<void(const ExtractProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;               ///< ends early with kInterrupted
};

/// Result of extract(). A value.
struct ExtractReport {
  std::uint64_t entries = 0;          ///< written, with lost attributes or not
  std::uint64_t content_bytes = 0;    ///< written
  std::uint64_t failures = 0;         ///< each reported to `failed`
  std::uint64_t partial_files = 0;    ///< written with holes in place of lost ranges
  std::uint64_t devices_refused = 0;  ///< device nodes that the user may not make
  std::uint64_t lost_attributes = 0;  ///< of written entries, each reported to `lost_attribute`
  std::uint64_t skipped = 0;          ///< left out, because their names exist
  std::uint64_t further_copies = 0;   ///< made instead of hard links, each reported to `copied`
};

}  // namespace dgfs::reader
