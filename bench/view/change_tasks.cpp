// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <algorithm>
#include <vector>

#include "bench/store/key_space.h"
#include "bench/view/tasks.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kFilesOfDirectory = 100;  // per directory that is made
constexpr std::size_t kNoValue = 16;              // only the order of the key spaces is used

// The directory and name of a file. A value.
struct Place {
  Handle directory = 0;
  std::string name;
};

// The objects of the operations: files that are made, and files of the base that are changed.
class ChangeTask {
 public:
  ChangeTask(Target& target, Meter& meter, const TaskOptions& options)
      : target_(target),
        meter_(meter),
        options_(options),
        order_(std::max<std::uint64_t>(options.operations, 2), kNoValue, options.seed),
        base_order_(std::max<std::uint64_t>(options.tree.files_of_small(), 2), kNoValue,
                    options.seed) {}

  Status run() {
    DGFS_CHECK(open());
    DGFS_CHECK(make());
    DGFS_CHECK(read());
    DGFS_CHECK(change());
    return remove();
  }

 private:
  // The place of a new file; each file once.
  [[nodiscard]] Place made(std::uint64_t index) const {
    const auto number = index < order_.count() ? order_.shuffled(index) : index;
    return {made_[number / kFilesOfDirectory], file_name(number)};
  }
  // The place of a file in a small directory of the base.
  [[nodiscard]] Place base(std::uint64_t index) const {
    const auto number = base_order_.shuffled(index);
    const auto files = options_.tree.small_files;
    return {small_[number / files], file_name(number % files)};
  }
  [[nodiscard]] std::uint64_t base_count() const {
    return std::min(options_.operations, options_.tree.files_of_small());
  }

  Status repeat(const std::string& name, std::uint64_t count,
                const std::function<Status(std::uint64_t)>& call) {
    return meter_.measure(name, [&]() -> Result<std::uint64_t> {
      for (std::uint64_t i = 0; i < count; ++i) {
        DGFS_CHECK(call(i));
      }
      return count;
    });
  }

  Result<Handle> new_directory(const std::string& path, const std::string& name) {
    DGFS_TRY(above, target_.directory(path));
    DGFS_CHECK(target_.make_directory(above, name));
    return target_.directory(path.empty() ? name : path + "/" + name);
  }

  Status open() {
    DGFS_TRY(root, target_.directory(""));
    root_ = root;
    DGFS_CHECK(new_directory("", "made"));
    for (std::uint64_t i = 0; i * kFilesOfDirectory < order_.count(); ++i) {
      DGFS_TRY(directory, new_directory("made", directory_name(i)));
      made_.push_back(directory);
    }
    for (std::uint64_t i = 0; i < options_.tree.small_directories; ++i) {
      DGFS_TRY(directory, target_.directory(small_path(i)));
      small_.push_back(directory);
    }
    for (auto* const handle : {&directories_, &links_, &moved_}) {
      const char* const name = handle == &directories_ ? "directories"
                               : handle == &links_     ? "links"
                                                       : "moved";
      DGFS_TRY(directory, new_directory("", name));
      *handle = directory;
    }
    DGFS_CHECK(target_.sync());
    return target_.settle();
  }

  Status make() {
    const auto count = order_.count();
    DGFS_CHECK(repeat("create", count, [&](std::uint64_t i) {
      return target_.create(made_[i / kFilesOfDirectory], file_name(i));
    }));
    return repeat("mkdir", count, [&](std::uint64_t i) {
      return target_.make_directory(directories_, directory_name(i));
    });
  }

  Status find(const Place& place, bool is_there) {
    DGFS_TRY(has, target_.has(place.directory, place.name));
    if (has == is_there) return ok();
    return Error(ErrorKind::kCorrupt, 9033, "a name is there that should not be, or is lost")
        .in_file(place.name);
  }

  Status read() {
    const auto count = order_.count();
    DGFS_CHECK(repeat("stat hit", count, [&](std::uint64_t i) { return find(made(i), true); }));
    DGFS_CHECK(repeat("stat miss", count, [&](std::uint64_t i) {
      auto place = made(i);
      place.name += '+';
      return find(place, false);
    }));
    DGFS_CHECK(meter_.measure("listing with attributes, made: a name",
                              [&] { return list(made_, options_.operations); }));
    return meter_.measure("listing with attributes, base: a name",
                          [&] { return list(small_, options_.tree.files_of_small()); });
  }

  Result<std::uint64_t> list(const std::vector<Handle>& directories, std::uint64_t expected) {
    std::uint64_t count = 0;
    for (const auto directory : directories) {
      DGFS_TRY(names, target_.list(directory));
      count += names;
    }
    if (count < expected) return Error(ErrorKind::kCorrupt, 9034, "a listing lacks names");
    return count;
  }

  Status change() {
    const auto count = order_.count();
    DGFS_CHECK(repeat("chmod, made", count, [&](std::uint64_t i) {
      const auto place = made(i);
      return target_.change_mode(place.directory, place.name, 0600);
    }));
    DGFS_CHECK(repeat("chmod, base", base_count(), [&](std::uint64_t i) {
      const auto place = base(i);
      return target_.change_mode(place.directory, place.name, 0600);
    }));
    DGFS_CHECK(repeat("link", count, [&](std::uint64_t i) {
      const auto place = made(i);
      return target_.link(place.directory, place.name, links_, place.name);
    }));
    DGFS_CHECK(repeat("rename of a file, made", count, [&](std::uint64_t i) {
      const auto place = made(i);
      return target_.rename(place.directory, place.name, moved_, place.name);
    }));
    return rename_large();
  }

  // Renames the directory back and forth; after an even number it has its old name.
  Status rename_large() {
    const std::string names[] = {kLarge, std::string(kLarge) + "-moved"};
    return repeat("rename of the large directory", options_.directory_renames,
                  [&](std::uint64_t i) {
                    return target_.rename(root_, names[i % 2], root_, names[(i + 1) % 2]);
                  });
  }

  Status remove() {
    const auto count = order_.count();
    DGFS_CHECK(repeat("unlink, one of two names", count,
                      [&](std::uint64_t i) { return target_.unlink(links_, made(i).name); }));
    DGFS_CHECK(repeat("unlink, made", count,
                      [&](std::uint64_t i) { return target_.unlink(moved_, made(i).name); }));
    return repeat("unlink, base", base_count(), [&](std::uint64_t i) {
      const auto place = base(i);
      return target_.unlink(place.directory, place.name);
    });
  }

  Target& target_;
  Meter& meter_;
  const TaskOptions& options_;
  const KeySpace order_;
  const KeySpace base_order_;
  Handle root_ = 0;
  Handle directories_ = 0;
  Handle links_ = 0;
  Handle moved_ = 0;
  std::vector<Handle> made_;
  std::vector<Handle> small_;
};

}  // namespace

Status change_names(Target& target, Meter& meter, const TaskOptions& options) {
  return ChangeTask(target, meter, options).run();
}

}  // namespace dgfs::bench
