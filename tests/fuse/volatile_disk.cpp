// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A disk with a volatile write cache, for use below a loop device: the one file of a directory,
// served from FILE. Writes reach FILE only at the next flush (FSYNC).
//
//   volatile_disk FILE DIRECTORY    serves DIRECTORY/disk until it is unmounted
//
// Setting the extended attribute user.power_cut is a power cut: a random part of the cached sectors
// is kept, and the rest is lost (the value, a number, is the seed). Each later request ends with
// EIO.
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t kSectorBytes = 512;
constexpr fuse_ino_t kFile = 2;
constexpr const char* kName = "disk";
constexpr const char* kPowerCut = "user.power_cut";
constexpr double kForeverSeconds = 1e9;

// Used by one thread.
class VolatileDisk {
 public:
  explicit VolatileDisk(int fd) : fd_(fd) {}

  [[nodiscard]] bool has_power() const { return has_power_; }

  [[nodiscard]] std::uint64_t size_bytes() const {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  // Reads whole sectors. Returns false if FILE cannot be read.
  [[nodiscard]] bool read(std::uint64_t offset, std::vector<char>& out) const {
    if (::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset)) < 0) return false;
    for (std::size_t at = 0; at < out.size(); at += kSectorBytes) {
      const auto cached = cache_.find((offset + at) / kSectorBytes);
      if (cached != cache_.end()) std::copy_n(cached->second.begin(), kSectorBytes, &out[at]);
    }
    return true;
  }

  void write(std::uint64_t offset, const char* bytes, std::size_t size_bytes) {
    for (std::size_t at = 0; at < size_bytes; at += kSectorBytes) {
      cache_[(offset + at) / kSectorBytes].assign(bytes + at, bytes + at + kSectorBytes);
    }
  }

  [[nodiscard]] bool flush() {
    return keep([] { return true; });
  }

  void cut_power(unsigned seed) {
    std::mt19937 chance(seed);
    const auto kept = chance() % 101;  // percent
    static_cast<void>(keep([&] { return chance() % 100 < kept; }));
    has_power_ = false;
  }

 private:
  template <class IsKept>
  [[nodiscard]] bool keep(IsKept is_kept) {
    for (const auto& [sector, bytes] : cache_) {
      if (!is_kept()) continue;
      const auto offset = static_cast<off_t>(sector * kSectorBytes);
      if (::pwrite(fd_, bytes.data(), bytes.size(), offset) < 0) return false;
    }
    cache_.clear();
    return true;
  }

  const int fd_;
  bool has_power_ = true;
  std::map<std::uint64_t, std::vector<char>> cache_;
};

VolatileDisk& disk_of(fuse_req_t request) {
  return *static_cast<VolatileDisk*>(fuse_req_userdata(request));
}

bool is_aligned(std::uint64_t offset, std::size_t size_bytes) {
  return offset % kSectorBytes == 0 && size_bytes % kSectorBytes == 0;
}

struct stat attributes_of(const VolatileDisk& disk, fuse_ino_t inode) {
  struct stat out {};
  out.st_ino = inode;
  out.st_nlink = 1;
  out.st_mode = inode == kFile ? S_IFREG | 0600 : S_IFDIR | 0700;
  if (inode == kFile) out.st_size = static_cast<off_t>(disk.size_bytes());
  return out;
}

void look_up(fuse_req_t request, fuse_ino_t, const char* name) {
  if (std::strcmp(name, kName) != 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = kFile;
  entry.attr = attributes_of(disk_of(request), kFile);
  entry.attr_timeout = entry.entry_timeout = kForeverSeconds;
  fuse_reply_entry(request, &entry);
}

void get_attributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  const auto attributes = attributes_of(disk_of(request), inode);
  fuse_reply_attr(request, &attributes, kForeverSeconds);
}

void open_file(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  fuse_reply_open(request, file);
}

void read_file(fuse_req_t request, fuse_ino_t, std::size_t size_bytes, off_t offset,
               fuse_file_info*) {
  const auto& disk = disk_of(request);
  const auto at = static_cast<std::uint64_t>(offset);
  std::vector<char> bytes(
      std::min<std::uint64_t>(size_bytes, disk.size_bytes() - std::min(at, disk.size_bytes())));
  if (!disk.has_power() || !is_aligned(at, bytes.size()) || !disk.read(at, bytes)) {
    fuse_reply_err(request, EIO);
  } else {
    fuse_reply_buf(request, bytes.data(), bytes.size());
  }
}

void write_file(fuse_req_t request, fuse_ino_t, const char* bytes, std::size_t size_bytes,
                off_t offset, fuse_file_info*) {
  auto& disk = disk_of(request);
  const auto at = static_cast<std::uint64_t>(offset);
  if (!disk.has_power() || !is_aligned(at, size_bytes)) {
    fuse_reply_err(request, EIO);
    return;
  }
  disk.write(at, bytes, size_bytes);
  fuse_reply_write(request, size_bytes);
}

void flush_file(fuse_req_t request, fuse_ino_t, int, fuse_file_info*) {
  auto& disk = disk_of(request);
  fuse_reply_err(request, disk.has_power() && disk.flush() ? 0 : EIO);
}

void set_xattr(fuse_req_t request, fuse_ino_t, const char* name, const char* value,
               std::size_t size_bytes, int) {
  if (std::strcmp(name, kPowerCut) != 0) {
    fuse_reply_err(request, EOPNOTSUPP);
    return;
  }
  const std::string seed(value, size_bytes);
  disk_of(request).cut_power(static_cast<unsigned>(std::strtoul(seed.c_str(), nullptr, 10)));
  fuse_reply_err(request, 0);
}

int serve(VolatileDisk& disk, const char* directory) {
  fuse_lowlevel_ops operations{};
  operations.lookup = look_up;
  operations.getattr = get_attributes;
  operations.open = open_file;
  operations.read = read_file;
  operations.write = write_file;
  operations.fsync = flush_file;
  operations.setxattr = set_xattr;
  const char* texts[] = {"volatile-disk", "-oallow_other"};
  fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
  for (const auto* text : texts) fuse_opt_add_arg(&arguments, text);
  fuse_session* session = fuse_session_new(&arguments, &operations, sizeof operations, &disk);
  fuse_opt_free_args(&arguments);
  if (session == nullptr || fuse_session_mount(session, directory) != 0) return 1;
  const int result = fuse_daemonize(0) == 0 ? fuse_session_loop(session) : 1;
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  return result == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FILE DIRECTORY\n", argv[0]);
    return 2;
  }
  const int fd = ::open(argv[1], O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    std::perror(argv[1]);
    return 1;
  }
  VolatileDisk disk(fd);
  return serve(disk, argv[2]);
}
