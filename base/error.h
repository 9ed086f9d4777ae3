// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Error: the one way a failure travels through every layer. It says what kind of failure it was
// (callers branch on the kind), where it was raised (the code is unique to one line of source),
// and where in the data (file, section, offset), so that a message can name the place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dgfs {

/// The kinds of failure that callers distinguish. A kind maps to one errno at the outermost layer.
enum class ErrorKind : std::uint8_t {
  kIo,               ///< the device or operating system failed an operation
  kCorrupt,          ///< bytes on disk violate a rule of docs/FORMAT.md
  kUnsupported,      ///< well-formed, but needs a feature this program lacks
  kInvalidArgument,  ///< the request itself is invalid
  kNotFound,         ///< no such file, entry, attribute or volume
  kExists,           ///< the name is already taken
  kNotDirectory,     ///< a directory was needed
  kIsDirectory,      ///< anything but a directory was needed
  kPermission,       ///< the operating system refused access
  kLimit,            ///< a stated limit of the format or of a budget was exceeded
  kNoSpace,          ///< the device is full
  kChanged,          ///< an input changed while it was being read
  kInterrupted,      ///< the user asked to stop
  kLoop,             ///< a symbolic link stands where none may be followed
  kBusy,             ///< another process or opening holds a lock
  kNotEmpty,         ///< the directory to remove has entries
  kNameTooLong,      ///< a name or a path is too long
  kTooManyLinks,     ///< an object cannot have more names
  kNotPermitted,     ///< the operation is never allowed on such an object
  kNoAttribute,      ///< there is no such extended attribute
  kTooLarge,         ///< a value is too long
  kOutOfRange,       ///< a length is outside the range that the call allows
  kFileTooLarge,     ///< a file would be too long
  kNoData,           ///< no data, or no hole, at or behind an offset
};

/// A failure with its place. Cheap to move; built only on failure paths. A value.
class Error {
 public:
  /// The state of the Error that Outcome keeps beside every value. Never raised.
  Error() noexcept = default;
  /// @param kind    the kind, on which callers branch
  /// @param code    number of the raising line; every raise site has its own (checked by a test).
  ///                Ranges: storage 1000s, format 2000s, reader 3000s, builder 4000s, fuse 5000s,
  ///                tools 6000s, delta 7000s
  /// @param text    describes the failure, lower case, no trailing stop
  Error(ErrorKind kind, std::uint16_t code, std::string text);
  /// Copies the details, too.
  Error(const Error& other);
  Error(Error&&) noexcept = default;
  /// Copies the details, too.
  Error& operator=(const Error& other);
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  /// The kind, on which callers branch.
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  /// Number of the raising line.
  [[nodiscard]] std::uint16_t code() const noexcept { return code_; }
  /// The description of the failure, without its place.
  [[nodiscard]] const std::string& text() const noexcept { return details().text; }
  /// Path of the file concerned; empty if unknown.
  [[nodiscard]] const std::string& file() const noexcept { return details().file; }
  /// Name of the section of the image; empty if unknown.
  [[nodiscard]] const std::string& section() const noexcept { return details().section; }
  /// Offset in the file, in bytes.
  [[nodiscard]] std::optional<std::uint64_t> offset() const noexcept { return details().offset; }
  /// errno of the failed system call; 0 if none was involved.
  [[nodiscard]] int os_errno() const noexcept { return os_errno_; }

  /// @{
  /// Each of the first three adds its part of the place unless that is already set, so the
  /// innermost caller wins. with_errno() always sets the errno.
  Error&& in_file(std::string_view file) &&;
  Error&& in_section(std::string_view section) &&;
  Error&& at_offset(std::uint64_t offset_bytes) &&;
  Error&& with_errno(int os_errno) &&;
  /// @}

  /// "FILE: SECTION, offset N: TEXT" with the parts that are known.
  [[nodiscard]] std::string message() const;

 private:
  struct Details {
    std::string text;
    std::string file;
    std::string section;
    std::optional<std::uint64_t> offset;
  };
  [[nodiscard]] const Details& details() const noexcept;
  [[nodiscard]] Details& own_details();

  ErrorKind kind_ = ErrorKind::kIo;
  std::uint16_t code_ = 0;
  int os_errno_ = 0;
  /// On the heap, so that the Error beside every good value costs one null pointer.
  std::unique_ptr<Details> details_;
};

}  // namespace dgfs
