// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/read_only.h"

#include "storage/names.h"

namespace dgfs::storage {
namespace {

Error read_only(const std::string& path) {
  return Error(ErrorKind::kPermission, 1268, "can only be read").in_file(path);
}

}  // namespace

Status ReadOnlyFile::refuse() const { return read_only(path()); }

Status ReadOnlyFile::write_at(std::uint64_t /*offset_bytes*/, Bytes /*data*/) { return refuse(); }
Status ReadOnlyFile::truncate(std::uint64_t /*size_bytes*/) { return refuse(); }
Status ReadOnlyFile::preallocate(std::uint64_t /*begin_bytes*/, std::uint64_t /*end_bytes*/) {
  return refuse();
}
Status ReadOnlyFile::punch(std::uint64_t /*begin_bytes*/, std::uint64_t /*end_bytes*/) {
  return refuse();
}
Status ReadOnlyFile::lock() { return refuse(); }
Status ReadOnlyFile::lock_shared() { return refuse(); }

Error ReadOnlyDirectory::refusal(std::string_view name) const {
  return read_only(join_path(path(), name));
}

Status ReadOnlyDirectory::make_directory(std::string_view name, std::uint32_t /*mode*/) {
  return refusal(name);
}
Result<std::unique_ptr<File>> ReadOnlyDirectory::create_file(std::string_view name,
                                                             std::uint32_t /*mode*/) {
  return refusal(name);
}
Result<std::unique_ptr<NewFile>> ReadOnlyDirectory::create_unnamed(std::string_view name,
                                                                   std::uint32_t /*mode*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::make_symlink(std::string_view name, std::string_view /*target*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::make_link(const Directory& /*existing_directory*/,
                                    std::string_view /*existing_name*/, std::string_view name) {
  return refusal(name);
}
Status ReadOnlyDirectory::make_node(std::string_view name, std::uint32_t /*mode*/,
                                    std::uint64_t /*rdev*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::set_owner(std::string_view name, std::uint32_t /*uid*/,
                                    std::uint32_t /*gid*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::set_mode(std::string_view name, std::uint32_t /*mode*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::set_times(std::string_view name, std::optional<Time> /*access_time*/,
                                    Time /*modify_time*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::set_xattr(std::string_view name, std::string_view /*key*/,
                                    Bytes /*value*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::remove_xattr(std::string_view name, std::string_view /*key*/) {
  return refusal(name);
}
Status ReadOnlyDirectory::remove(std::string_view name) { return refusal(name); }

}  // namespace dgfs::storage
