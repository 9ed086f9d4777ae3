// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/extract.h"

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "format/entry/mode.h"
#include "reader/extract/directories.h"
#include "reader/extract/directory_stack.h"
#include "reader/extract/existing.h"
#include "reader/extract/links.h"
#include "reader/extract/log.h"
#include "reader/extract/objects.h"
#include "reader/extract/paths.h"
#include "reader/extract/tree.h"
#include "reader/extract/walk.h"
#include "reader/image.h"
#include "reader/work_pool.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kTasksQueued = 256;
// Keeps other users out until the attributes are restored.
constexpr std::uint32_t kPrivateDirectory = 0700;
// Before the umask, as for mkdir(1).
constexpr std::uint32_t kNewDirectory = 0777;

// One object that a worker makes.
struct Task {
  DirectoryPointer directory;
  std::string path;
  Node node;
};

// One thread walks and makes directories; workers make the other objects.
class Extraction {
 public:
  /// @param is_new  whether the destination was made for this extraction
  Extraction(const Image& image, ExtractTree& tree, storage::Env& env,
             const ExtractOptions& options, DirectoryPointer root, bool is_new)
      : tree_(tree),
        options_(options),
        stack_(root),
        log_(image, env, options),
        objects_(image, options, log_),
        links_(
            root, [this](const auto& path, const Error& why) { log_.add_copy(path, why); },
            options.existing),
        directories_(image, tree, root, options, log_),
        jobs_(options.jobs != 0 ? options.jobs : env.processor_count()),
        is_new_(is_new) {}

  Result<ExtractReport> run() {
    {
      WorkPool<Task> pool(jobs_, kTasksQueued, [this](Task& task) { make(task); });
      tree_.walk(
          log_, [&](const auto& path, const Node& node) { return has_directory(path, node); },
          [&](const auto& path, const Node& node) { visit(path, node, pool); });
      pool.finish();
    }
    directories_.finish();
    return log_.result();
  }

 private:
  void visit(const std::string& path, const Node& node, WorkPool<Task>& pool) {
    if (const auto lost = lost_directory_above(path)) return tell_below(path, *lost);
    if (format::is_directory(node.mode)) return visit_directory(path, node);
    if (format::is_device(node.mode) && !options_.privileged) return log_.refuse_device(path);
    auto directory = open_parent(path);
    if (!directory) return log_.settle(path, std::move(directory).assume_error());
    pool.push({std::move(directory).assume_value(), path, node});
  }

  void visit_directory(const std::string& path, const Node& node) {
    if (has_directory(path, node)) log_.add_entry();
  }

  // Opens the directory of `path`. With keep_going, makes it if it is missing: the walk does not
  // visit a directory with a damaged entry, but entries below it may be intact. Its permissions are
  // unknown then, so only the user may enter it.
  Result<DirectoryPointer> open_parent(std::string_view path) {
    const auto parent = parent_of(path);
    auto directory = stack_.open(parent);
    const bool is_missing = !directory && directory.assume_error().kind() == ErrorKind::kNotFound;
    if (!is_missing || !options_.keep_going || parent.empty()) return directory;
    DGFS_TRY(above, open_parent(parent));
    const auto made = above->make_directory(name_of(parent), kPrivateDirectory);
    if (!made && made.assume_error().kind() != ErrorKind::kExists) return made.assume_error();
    return stack_.open(parent);
  }

  // Makes or enters a directory and logs the result.
  bool has_directory(const std::string& path, const Node& node) {
    // If a parent has failed, the log has that failure already.
    if (lost_directory_above(path)) return false;
    const auto made = make_directory(path, node);
    if (!made) lost_directories_.insert(path);
    log_.settle(path, made);
    return made.has_value();
  }

  // Logs a failure for each entry below a lost directory, because the count of failures tells the
  // loss.
  void tell_below(const std::string& path, const std::string& directory) {
    log_.settle(path, Error(ErrorKind::kNotFound, 3151,
                            "its directory '" + directory + "' could not be made"));
  }

  [[nodiscard]] std::optional<std::string> lost_directory_above(std::string_view path) const {
    if (lost_directories_.empty()) return std::nullopt;
    for (auto parent = parent_of(path);; parent = parent_of(parent)) {
      if (lost_directories_.contains(std::string(parent))) return std::string(parent);
      if (parent.empty()) return std::nullopt;
    }
  }

  // Enters an existing directory; any other object of that name is an error, or makes way.
  Status make_directory(const std::string& path, const Node& node) {
    bool is_new = is_new_;
    if (!path.empty()) {
      DGFS_TRY(parent, open_parent(path));
      const auto name = name_of(path);
      const auto make = [&] { return parent->make_directory(name, kPrivateDirectory); };
      auto made = make();
      if (!made && made.assume_error().kind() != ErrorKind::kExists) return made;
      is_new = made.has_value();
      if (!is_new && !parent->open_directory(name)) {
        DGFS_CHECK(make_over(options_.existing, *parent, name, make));
        is_new = true;
      }
    }
    if (is_new || options_.existing != ExistingNames::kSkip) directories_.add(node.inode);
    return ok();
  }

  void make(const Task& task) {
    if (log_.ended()) return;
    const auto name = name_of(task.path);
    const bool skips = options_.existing == ExistingNames::kSkip;
    // Before the table of links hears of it: further names must not be linked to another's file.
    if (skips && task.directory->status(name)) return log_.add_skipped();
    bool refused = false;
    const auto make_object = [&] {
      return objects_.make(task.node, *task.directory, name, task.path, refused);
    };
    const auto made = task.node.link_count > 1
                          ? links_.make(task.node, *task.directory, task.path, name, make_object)
                          : make_object();
    if (refused) return log_.refuse_device(task.path, made.assume_error());
    if (skips && !made && made.assume_error().kind() == ErrorKind::kExists) {
      return log_.add_skipped();  // somebody else has just made it
    }
    if (made) log_.add_entry();
    log_.settle(task.path, made);
  }

  ExtractTree& tree_;
  const ExtractOptions& options_;
  DirectoryStack stack_;  // used by the walking thread only
  ExtractLog log_;
  ObjectMaker objects_;
  LinkTable links_;
  DirectoryFinisher directories_;
  unsigned jobs_;
  bool is_new_;
  std::unordered_set<std::string> lost_directories_;  // directories that could not be made
};

// The chosen entries of an image.
class ImageTree final : public ExtractTree {
 public:
  ImageTree(const Image& image, const ExtractOptions& options) : image_(image), options_(options) {}

  void walk(ExtractLog& log, const MakeParent& make_parent, const Visit& visit) override {
    ExtractWalk(image_, options_, log).run(make_parent, visit);
  }
  Result<std::string> directory_path(InodeNumber inode) const override {
    return image_.path_of(inode);
  }
  Result<Node> directory_node(InodeNumber inode) const override { return image_.by_inode(inode); }

 private:
  const Image& image_;
  const ExtractOptions& options_;
};

// If the root is not chosen, no later step sets the permissions of the destination, so it is made
// with the default ones.
std::uint32_t destination_mode(const ExtractOptions& options) {
  return disjoint_paths(options.paths).front().empty() ? kPrivateDirectory : kNewDirectory;
}

/// Makes the destination. Returns false if it exists.
Result<bool> make_destination(storage::Env& env, const std::string& path, std::uint32_t mode) {
  auto made = env.make_directory(path, mode);
  if (!made && made.assume_error().kind() != ErrorKind::kExists) {
    return std::move(made).assume_error();
  }
  return made.has_value();
}

}  // namespace

Result<ExtractReport> extract_tree(const Image& image, ExtractTree& tree, storage::Env& env,
                                   const std::string& destination, const ExtractOptions& options) {
  DGFS_TRY(is_new, make_destination(env, destination, destination_mode(options)));
  DGFS_TRY(root, env.open_directory(destination));
  return Extraction(image, tree, env, options, DirectoryPointer(std::move(root)), is_new).run();
}

Result<ExtractReport> extract(const Image& image, storage::Env& env, const std::string& destination,
                              const ExtractOptions& options) {
  ImageTree tree(image, options);
  return extract_tree(image, tree, env, destination, options);
}

Result<ExtractReport> plan_extract(
    const Image& image, const ExtractOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& visit) {
  ExtractLog log(image, image.env(), options);
  ExtractWalk(image, options, log)
      .run([](const auto&, const Node&) { return true; },
           [&](const auto& path, const Node& node) {
             if (format::is_device(node.mode) && !options.privileged) {
               return log.refuse_device(path);
             }
             log.add_entry();
             visit(path, node);
           });
  return log.result();
}

}  // namespace dgfs::reader
