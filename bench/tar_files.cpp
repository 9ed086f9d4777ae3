// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A plain tar archive with an index beside it: the simplest store with access to single files, one
// read each.
//
//   dgfs_tar_files index ARCHIVE INDEX
//   dgfs_tar_files read ARCHIVE INDEX LIST THREADS [ROUNDS]
//
// The index consists of the number of entries, the entries sorted by path (offset and size of the
// contents, end of the path in the paths), then all paths one after another. Reading loads the
// whole index before the clock starts, finds a path by bisection, and reads its contents with one
// pread(). Supports regular files and their hard links as `tar --format=gnu` writes them; ignores
// the rest.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

#include "bench/timed_reads.h"

namespace {

constexpr std::uint64_t kBlockBytes = 512;

struct Header {
  char name[100];
  char mode_and_owner[24];
  char size[12];
  char times[20];
  char type;
  char link_name[100];
  char rest[255];
};
static_assert(sizeof(Header) == kBlockBytes);

struct Entry {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t path_end = 0;  // in the paths; the path begins where the one before ends
};

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

int open_or_fail(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("cannot open " + path);
  return fd;
}

template <std::size_t kSize>
std::string text_of(const char (&field)[kSize]) {
  return {field, strnlen(field, kSize)};
}

// Octal; from 8 GiB on, binary after a byte of 0x80.
std::uint64_t size_of(const Header& header) {
  if (header.size[0] != '\x80') return std::strtoull(text_of(header.size).c_str(), nullptr, 8);
  std::uint64_t size_bytes = 0;
  for (const char byte : std::string_view(header.size + 4, 8)) {
    size_bytes = size_bytes << 8 | static_cast<unsigned char>(byte);
  }
  return size_bytes;
}

std::string without_dot(const std::string& path) {
  return path.starts_with("./") ? path.substr(2) : path;
}

using Found = std::pair<std::string, Entry>;

bool by_path(const Found& a, const Found& b) { return a.first < b.first; }

// Reads an archive from header to header.
class Scan {
 public:
  explicit Scan(int archive) : archive_(archive) {}

  /// Sorted by path.
  std::vector<Found> entries() {
    Header header{};
    for (std::uint64_t at = 0; read_at(at, &header, kBlockBytes) && header.name[0] != '\0';) {
      const auto size_bytes = size_of(header);
      take(header, {at + kBlockBytes, size_bytes, 0});
      at += kBlockBytes + (size_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    }
    std::sort(files_.begin(), files_.end(), by_path);
    add_further_names();
    return std::move(files_);
  }

 private:
  bool read_at(std::uint64_t at, void* out, std::size_t length) const {
    return pread(archive_, out, length, static_cast<off_t>(at)) == static_cast<ssize_t>(length);
  }

  // A name too long for a header is stored as the contents of a separate entry before it.
  void take(const Header& header, const Entry& entry) {
    if (header.type == 'L' || header.type == 'K') {
      std::string& name = header.type == 'L' ? long_name_ : long_target_;
      name.resize(static_cast<std::size_t>(entry.size_bytes));
      if (!read_at(entry.offset_bytes, name.data(), name.size())) fail("the archive is cut off");
      name.resize(std::strlen(name.c_str()));
      return;
    }
    if (std::strchr("0123456", header.type) == nullptr) fail("not made with --format=gnu");
    const auto name = long_name_.empty() ? text_of(header.name) : long_name_;
    const auto target = long_target_.empty() ? text_of(header.link_name) : long_target_;
    if (header.type == '0') files_.emplace_back(without_dot(name), entry);
    if (header.type == '1') links_.emplace_back(without_dot(name), without_dot(target));
    long_name_.clear();
    long_target_.clear();
  }

  void add_further_names() {
    std::vector<Found> more;
    for (const auto& [name, target] : links_) {
      const auto file =
          std::lower_bound(files_.begin(), files_.end(), Found(target, Entry{}), by_path);
      if (file != files_.end() && file->first == target) more.emplace_back(name, file->second);
    }
    files_.insert(files_.end(), more.begin(), more.end());
    std::sort(files_.begin(), files_.end(), by_path);
  }

  int archive_;
  std::string long_name_, long_target_;
  std::vector<Found> files_;
  std::vector<std::pair<std::string, std::string>> links_;  // name of the link, first name
};

int make_index(const std::string& archive, const std::string& index) {
  const auto found = Scan(open_or_fail(archive)).entries();
  std::vector<Entry> entries;
  std::string paths;
  for (const auto& [path, entry] : found) {
    paths += path;
    entries.push_back({entry.offset_bytes, entry.size_bytes, paths.size()});
  }
  const std::uint64_t count = entries.size();
  std::ofstream out(index, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&count), sizeof(count));
  out.write(reinterpret_cast<const char*>(entries.data()),
            static_cast<std::streamsize>(count * sizeof(Entry)));
  out.write(paths.data(), static_cast<std::streamsize>(paths.size()));
  return out.flush() ? 0 : 1;
}

class Archive {
 public:
  Archive(const std::string& archive, const std::string& index) : fd_(open_or_fail(archive)) {
    std::ifstream in(index, std::ios::binary);
    std::uint64_t count = 0;
    in.read(reinterpret_cast<char*>(&count), sizeof(count));
    entries_.resize(static_cast<std::size_t>(count));
    in.read(reinterpret_cast<char*>(entries_.data()),
            static_cast<std::streamsize>(count * sizeof(Entry)));
    paths_.resize(entries_.empty() ? 0 : static_cast<std::size_t>(entries_.back().path_end));
    in.read(paths_.data(), static_cast<std::streamsize>(paths_.size()));
    if (!in) fail("cannot read " + index);
  }

  bool read(const std::string& path, std::vector<char>& buffer, std::uint64_t& bytes) const {
    const auto* entry = find(path);
    if (entry == nullptr) return false;
    buffer.resize(static_cast<std::size_t>(entry->size_bytes));
    const auto count =
        pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(entry->offset_bytes));
    if (count != static_cast<ssize_t>(buffer.size())) return false;
    bytes += buffer.size();
    return true;
  }

 private:
  [[nodiscard]] std::string_view path_of(std::size_t i) const {
    const auto begin = i == 0 ? 0 : entries_[i - 1].path_end;
    return std::string_view(paths_).substr(begin, entries_[i].path_end - begin);
  }

  [[nodiscard]] const Entry* find(const std::string& path) const {
    std::size_t low = 0;
    for (std::size_t high = entries_.size(); low < high;) {
      const auto middle = low + (high - low) / 2;
      if (path_of(middle) < path) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < entries_.size() && path_of(low) == path ? &entries_[low] : nullptr;
  }

  int fd_;
  std::vector<Entry> entries_;
  std::string paths_;
};

int read_files(const std::string& archive_path, const std::string& index,
               const dgfs::bench::ReadPlan& plan) {
  const Archive archive(archive_path, index);
  return dgfs::bench::time_reads(plan, [&archive] {
    const auto buffer = std::make_shared<std::vector<char>>();
    return [&archive, buffer](const std::string& path, std::uint64_t& bytes) {
      return archive.read(path, *buffer, bytes);
    };
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "index") {
    return make_index(arguments[1], arguments[2]);
  }
  if (arguments.size() >= 5 && arguments[0] == "read") {
    const auto plan = dgfs::bench::read_plan({arguments.begin() + 3, arguments.end()});
    if (plan.paths.empty()) fail("no paths in " + arguments[3]);
    return read_files(arguments[1], arguments[2], plan);
  }
  fmt::print(stderr, "usage: {} index|read ... (see the source)\n", argv[0]);
  return 2;
}
