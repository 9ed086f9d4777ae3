// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/salvage/salvage.h"

#include <memory>
#include <utility>

#include "format/entry/mode.h"
#include "reader/extract/intact_contents.h"
#include "reader/extract/log.h"
#include "reader/image.h"
#include "reader/placed_error.h"
#include "reader/salvage/image.h"
#include "reader/salvage/index.h"
#include "reader/salvage/tree.h"

namespace dgfs::reader {
namespace {

// A damaged image, opened for salvage.
class Salvage {
 public:
  Salvage(storage::Env& env, const SalvageOptions& options) : env_(env), options_(options) {}

  Status open(const std::string& path) {
    tell_ = [this](const std::string& what) {
      ++lost_parts_;
      if (options_.lost_index) options_.lost_index(what);
    };
    DGFS_TRY(files, open_salvage_files(env_, path, options_.open));
    const auto incompat = (files.superblock ? files.superblock->incompat : 0) |
                          (files.header ? files.header->incompat : 0);
    DGFS_TRY(index,
             SalvageIndex::load(files.superblock, incompat, files.regions, tell_, options_.stop));
    index_ = std::make_unique<SalvageIndex>(std::move(index));
    auto open = options_.open;
    open.warn = {};  // damage is reported where data is missing
    image_ = SalvageImage::make(env_, files, *index_, open);
    tree_ = std::make_unique<SalvageTree>(*index_, options_.devices, tell_);
    return ok();
  }

  Result<SalvageReport> write(const std::string& destination) {
    const auto extract = extract_options();
    DGFS_TRY(report, extract_tree(*image_, *tree_, env_, destination, extract));
    return report_of(report);
  }

  Result<SalvageReport> list(
      const std::function<void(const std::string& path, const Node& node)>& kept) {
    const auto extract = extract_options();
    ExtractLog log(*image_, env_, extract);
    tree_->walk(
        log, [](const auto&, const Node&) { return true; },
        [&](const std::string& path, const Node& node) {
          if (format::is_device(node.mode) && !options_.privileged) return log.refuse_device(path);
          const auto status = check(path, node, log);
          log.settle(path, status);
          if (!status) return;
          log.add_entry();
          kept(path, node);
          check_xattrs(path, node, log);
        });
    DGFS_TRY(report, log.result());
    return report_of(report);
  }

 private:
  [[nodiscard]] ExtractOptions extract_options() const {
    ExtractOptions extract;
    extract.jobs = options_.jobs;
    static_cast<RestoreChoice&>(extract) = options_;
    extract.keep_going = true;
    extract.partial = options_.partial;
    extract.failed = options_.lost;
    extract.lost_range = [this](const std::string& path, const LostRange& range,
                                const Error& error) {
      if (options_.lost_range) options_.lost_range(path, range, error);
    };
    extract.lost_attribute = options_.lost_attribute;
    extract.copied = options_.copied;
    extract.progress = options_.progress;
    extract.stop = options_.stop;
    return extract;
  }

  Status check(const std::string& path, const Node& node, ExtractLog& log) const {
    if (format::is_symlink(node.mode)) {
      DGFS_CHECK(image_->read_link(node));
    }
    if (!format::is_regular(node.mode)) return ok();
    const IntactContents::Take take = [&](std::uint64_t, Bytes bytes) -> Status {
      if (log.ended()) return Error(ErrorKind::kInterrupted, 3230, "interrupted");
      log.add_content(bytes.size());
      return ok();
    };
    IntactContents contents(*image_, node, take, [&](const LostRange& range, const Error& error) {
      log.lose_range(path, range, error);
    });
    DGFS_CHECK(contents.read());
    return contents.check_complete();
  }

  void check_xattrs(const std::string& path, const Node& node, ExtractLog& log) const {
    const auto xattrs = image_->xattrs(node);
    if (xattrs || (!options_.xattrs && !options_.acls)) return;
    static_cast<void>(
        log.lose_attribute(path, {AttributeKind::kAll, "xattrs"},
                           prefixed("cannot read extended attributes: ", xattrs.assume_error())));
  }

  [[nodiscard]] SalvageReport report_of(const ExtractReport& extracted) const {
    SalvageReport report;
    report.entries = extracted.entries - extracted.partial_files;
    report.content_bytes = extracted.content_bytes;
    report.partial_files = extracted.partial_files;
    report.lost_entries = extracted.failures;
    report.devices_refused = extracted.devices_refused;
    report.lost_attributes = extracted.lost_attributes;
    report.further_copies = extracted.further_copies;
    report.lost_pages = tree_->lost_pages();
    report.lost_index_parts = lost_parts_;
    return report;
  }

  storage::Env& env_;
  const SalvageOptions& options_;
  TellLost tell_;
  std::uint64_t lost_parts_ = 0;
  std::unique_ptr<SalvageIndex> index_;
  std::unique_ptr<const Image> image_;
  std::unique_ptr<SalvageTree> tree_;
};

}  // namespace

Result<SalvageReport> salvage(storage::Env& env, const std::string& path,
                              const std::string& destination, const SalvageOptions& options) {
  Salvage salvage(env, options);
  DGFS_CHECK(salvage.open(path));
  return salvage.write(destination);
}

Result<SalvageReport> list_salvage(
    storage::Env& env, const std::string& path, const SalvageOptions& options,
    const std::function<void(const std::string& path, const Node& node)>& kept) {
  Salvage salvage(env, options);
  DGFS_CHECK(salvage.open(path));
  return salvage.list(kept);
}

}  // namespace dgfs::reader
