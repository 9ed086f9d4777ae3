// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/mode.h"
#include "reader/directory_stack.h"
#include "reader/extract_metadata.h"
#include "reader/extract_paths.h"
#include "reader/progress_clock.h"
#include "reader/work_pool.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kTasksQueued = 256;
// Until the attributes are restored, nobody else may look in.
constexpr std::uint32_t kPrivateDirectory = 0700;
constexpr std::uint32_t kPrivateFile = 0600;

std::string_view parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Whether `path` is `ancestor` or lies below it.
bool is_within(std::string_view path, std::string_view ancestor) {
  return path.starts_with(ancestor) &&
         (path.size() == ancestor.size() || ancestor.empty() || path[ancestor.size()] == '/');
}

// One object to be made by a worker.
struct Task {
  DirectoryPointer directory;
  std::string path;
  Node node;
};

// A further name of an object, made when its first one is complete.
struct FurtherName {
  std::string path;
  InodeNumber inode = 0;
};

// Memory beside what is queued: 8 bytes a directory, and for each multiply linked object its
// first path, for each further name that name's path.
class Extraction {
 public:
  Extraction(const Image& image, storage::Env& env, const ExtractOptions& options,
             DirectoryPointer root)
      : image_(image),
        options_(options),
        root_(std::move(root)),
        stack_(root_),
        clock_(env),
        jobs_(options.jobs != 0 ? options.jobs : env.processor_count()) {
    if (options.paths.empty()) entries_total_ = image.superblock().namespace_entries;
  }

  Result<ExtractReport> run() {
    {
      WorkPool<Task> pool(jobs_, kTasksQueued, [this](Task& task) { make(task); });
      pool_ = &pool;
      for (const auto& path : disjoint_paths(options_.paths)) {
        if (!ended()) settle(path, extract_path(path));
      }
      pool.finish();
      pool_ = nullptr;
    }
    make_further_names();
    finish_directories();
    report_progress();
    if (stopped()) return Error(ErrorKind::kInterrupted, 3140, "interrupted");
    if (first_error_) return *std::move(first_error_);
    return ExtractReport{entries_, content_bytes_, failures_};
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop->load(); }
  [[nodiscard]] bool ended() const { return stopped() || failed_.load(); }

  // Takes note of what became of `path`.
  void settle(const std::string& path, const Status& status) {
    if (!status) {
      const std::lock_guard lock(failure_mutex_);
      ++failures_;
      if (options_.keep_going) {
        if (options_.failed) options_.failed(path, status.assume_error());
      } else if (!failed_.exchange(true)) {
        first_error_ = status.assume_error();
      }
      return;
    }
    if (clock_.due()) report_progress();
  }

  void report_progress() {
    if (!options_.progress) return;
    const std::lock_guard lock(failure_mutex_);
    options_.progress({entries_, entries_total_, content_bytes_,
                       options_.paths.empty() ? image_.superblock().content_bytes : 0});
  }

  Status extract_path(const std::string& start_path) {
    DGFS_CHECK(image_.lookup(start_path));
    DGFS_CHECK(make_parents(start_path));
    return image_.walk(
        start_path,
        [&](std::string_view entry_path, const Node& node) {
          visit(std::string(entry_path), node);
          return !ended();
        },
        [&](const Error& error) {
          settle(start_path, error);
          return options_.keep_going;
        });
  }

  Status make_parents(std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
      const auto parent = path.substr(0, slash);
      DGFS_TRY(node, image_.lookup(parent));
      DGFS_CHECK(make_directory(std::string(parent), node));
    }
    return ok();
  }

  void visit(const std::string& path, const Node& node) {
    if (skipped_ && is_within(path, *skipped_)) return;
    if (format::is_directory(node.mode)) {
      const auto made = make_directory(path, node);
      if (made) {
        ++entries_;
      } else {
        skipped_ = path;
      }
      return settle(path, made);
    }
    if (node.link_count > 1 && !first_names_.try_emplace(node.inode, path).second) {
      further_names_.push_back({path, node.inode});
      return;
    }
    auto directory = stack_.open(parent_of(path));
    if (!directory) {
      note_lost(node);
      return settle(path, std::move(directory).assume_error());
    }
    pool_->push({std::move(directory).assume_value(), path, node});
  }

  // An existing directory is entered; anything else of that name is in the way.
  Status make_directory(const std::string& path, const Node& node) {
    if (!path.empty()) {
      DGFS_TRY(parent, stack_.open(parent_of(path)));
      auto made = parent->make_directory(name_of(path), kPrivateDirectory);
      if (!made) {
        if (made.assume_error().kind() != ErrorKind::kExists) return made;
        if (!parent->open_directory(name_of(path))) return made;
      }
    }
    directories_.push_back(node.inode);
    return ok();
  }

  void make(Task& task) {
    if (ended()) return;
    const auto name = name_of(task.path);
    auto made = make_object(task, name);
    if (made) {
      ++entries_;
    } else {
      note_lost(task.node);
    }
    settle(task.path, made);
  }

  // What bears the first name now, if anything, is not what the image holds: no link to it.
  void note_lost(const Node& node) {
    if (node.link_count <= 1) return;
    const std::lock_guard lock(failure_mutex_);
    lost_first_names_.insert(node.inode);
  }

  Status make_object(Task& task, std::string_view name) {
    const auto& node = task.node;
    auto& directory = *task.directory;
    if (format::is_device(node.mode) && !options_.privileged) return ok();
    if (format::is_regular(node.mode)) {
      DGFS_TRY(file, directory.create_file(name, kPrivateFile));
      auto status = write_contents(node, *file);
      if (status) {
        status = restore_metadata(image_, node, directory, name, options_.privileged);
      }
      // A file that is not what the image holds must not look as if it were.
      if (!status) static_cast<void>(directory.remove(name));
      return status;
    }
    if (format::is_symlink(node.mode)) {
      DGFS_TRY(target, image_.read_link(node));
      DGFS_CHECK(directory.make_symlink(name, target));
    } else {
      DGFS_CHECK(directory.make_node(name, format::type_of(node.mode) | kPrivateFile, node.rdev));
    }
    return restore_metadata(image_, node, directory, name, options_.privileged);
  }

  Status write_contents(const Node& node, storage::File& file) {
    DGFS_TRY(map, image_.sparse_map(node));
    const std::vector<format::SparseMap::Segment> whole = {{0, node.size_bytes, 0}};
    Buffer buffer(static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, node.size_bytes)));
    for (const auto& segment : map ? map->segments() : whole) {
      for (std::uint64_t at = 0; at < segment.length; at += kChunkBytes) {
        if (ended()) return Error(ErrorKind::kInterrupted, 3141, "interrupted");
        const auto length = std::min<std::uint64_t>(kChunkBytes, segment.length - at);
        const MutableBytes chunk(buffer.data(), static_cast<std::size_t>(length));
        DGFS_CHECK(image_.read(node, segment.begin + at, chunk));
        DGFS_CHECK(file.write_at(segment.begin + at, chunk));
        content_bytes_ += length;
        if (clock_.due()) report_progress();
      }
    }
    return map ? file.truncate(node.size_bytes) : Status(ok());
  }

  void make_further_names() {
    for (const auto& further : further_names_) {
      if (ended()) return;
      const auto made = make_further_name(further);
      if (made) ++entries_;
      settle(further.path, made);
    }
  }

  Status make_further_name(const FurtherName& further) {
    DGFS_TRY(node, image_.by_inode(further.inode));
    if (format::is_device(node.mode) && !options_.privileged) return ok();
    DGFS_TRY(directory, stack_.open(parent_of(further.path)));
    auto& first = first_names_.at(further.inode);
    if (lost_first_names_.contains(further.inode)) {
      Task task{directory, further.path, node};
      DGFS_CHECK(make_object(task, name_of(further.path)));
      first = further.path;
      lost_first_names_.erase(further.inode);
      return ok();
    }
    DGFS_TRY(existing, stack_.open(parent_of(first)));
    return directory->make_link(*existing, name_of(first), name_of(further.path));
  }

  // A directory's entry comes before those below it, so backwards is deepest first: nothing is
  // made in a directory any more once its times are set.
  void finish_directories() {
    std::reverse(directories_.begin(), directories_.end());
    for (const auto inode : directories_) {
      if (stopped()) return;
      auto path = image_.path_of(inode);
      if (!path) {
        settle("", std::move(path).assume_error());
        continue;
      }
      const auto status = finish_directory(path.assume_value(), inode);
      if (!status) settle(path.assume_value(), status);
    }
  }

  Status finish_directory(const std::string& path, InodeNumber inode) {
    DGFS_TRY(node, image_.by_inode(inode));
    if (path.empty()) return restore_metadata(image_, node, *root_, "", options_.privileged);
    DGFS_TRY(parent, stack_.open(parent_of(path)));
    return restore_metadata(image_, node, *parent, name_of(path), options_.privileged);
  }

  const Image& image_;
  const ExtractOptions& options_;
  DirectoryPointer root_;
  DirectoryStack stack_;
  ProgressClock clock_;
  unsigned jobs_;
  WorkPool<Task>* pool_ = nullptr;
  std::optional<std::string> skipped_;  // a directory that could not be made
  std::vector<InodeNumber> directories_;
  std::unordered_map<InodeNumber, std::string> first_names_;
  std::vector<FurtherName> further_names_;
  std::uint64_t entries_total_ = 0;
  std::atomic<std::uint64_t> entries_{0};
  std::atomic<std::uint64_t> content_bytes_{0};
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;  // guards what follows, and the callbacks
  std::uint64_t failures_ = 0;
  std::unordered_set<InodeNumber> lost_first_names_;  // objects whose first name was not made
  std::optional<Error> first_error_;
};

Result<DirectoryPointer> open_destination(storage::Env& env, const std::string& path) {
  auto made = env.make_directory(path, kPrivateDirectory);
  if (!made && made.assume_error().kind() != ErrorKind::kExists) {
    return std::move(made).assume_error();
  }
  DGFS_TRY(opened, env.open_directory(path));
  return DirectoryPointer(std::move(opened));
}

}  // namespace

Result<ExtractReport> extract(const Image& image, storage::Env& env, const std::string& destination,
                              const ExtractOptions& options) {
  DGFS_TRY(root, open_destination(env, destination));
  return Extraction(image, env, options, std::move(root)).run();
}

}  // namespace dgfs::reader
