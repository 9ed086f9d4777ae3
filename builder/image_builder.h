// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The image builder connects the stages of one build: scan, link, train, read, pack, index.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builder/index/writer.h"
#include "builder/kept_plan.h"
#include "builder/kept_tree.h"
#include "builder/losses.h"
#include "builder/options.h"
#include "builder/pack/output_volumes.h"
#include "builder/progress.h"
#include "builder/read/batch_filler.h"
#include "builder/read/batch_maker.h"
#include "builder/read/content_packer.h"
#include "builder/read/known_contents.h"
#include "builder/report.h"
#include "builder/scan/entry_rules.h"
#include "builder/scan/scanner.h"
#include "builder/stop.h"
#include "builder/train/dictionary_set.h"
#include "storage/name_lock.h"

namespace dgfs::builder {

/// The tree that is packed. A value; the objects must outlive the build.
struct BuildSource {
  const storage::Directory* root = nullptr;  ///< null: BuildOptions::source is opened
  const KeptTree* kept = nullptr;            ///< null: numbers and contents are new
};

/// Single use.
class ImageBuilder {
 public:
  /// @param env, options  must outlive the builder
  /// @param make_filler   makes the fillers that read contents; empty: contents come from the files
  ///                      of the source
  ImageBuilder(storage::Env& env, const BuildOptions& options, const BuildSource& source = {},
               BatchFillerMaker make_filler = {});

  [[nodiscard]] Result<BuildReport> run();

 private:
  /// The memory budget, divided.
  struct Budget {
    unsigned threads = 1;         ///< reading threads
    unsigned scan_threads = 0;    ///< threads that list directories ahead
    std::size_t batch_bytes = 0;  ///< capacity of a batch: whole frames with checksums
    std::size_t batches = 2;
    std::size_t sort_bytes = 0;
    std::size_t name_bytes = 0;
    std::size_t ahead_bytes = 0;  ///< for directories listed ahead
    std::size_t held_bytes = 0;   ///< for records of batches with written data
    std::size_t write_bytes = 0;  ///< write buffer of each volume
    std::size_t table_bytes = 0;  ///< for the content table
    std::size_t known_bytes = 0;  ///< for known contents
  };

  [[nodiscard]] static Budget divide(const BuildOptions& options, const storage::Env& env);
  [[nodiscard]] Status check_options();
  [[nodiscard]] Status check_outputs();
  [[nodiscard]] Status open_outputs();
  [[nodiscard]] Status lock_outputs(const std::vector<std::string>& paths);
  [[nodiscard]] EntryRules entry_rules() const;
  [[nodiscard]] FileRules file_rules() const;
  [[nodiscard]] BatchFillerMaker content_readers(const KnownContents* known);
  [[nodiscard]] Status train_dictionaries();
  [[nodiscard]] Status adopt_dictionaries();
  [[nodiscard]] Status scan_source();
  [[nodiscard]] Status scan();
  [[nodiscard]] Status pack();
  [[nodiscard]] Status reserve_image();
  [[nodiscard]] Status pack_tree(AppendFiles& volumes, IndexWriter& index);
  [[nodiscard]] Status finish_volumes();
  [[nodiscard]] IndexFacts facts(const ContentHash& frames) const;
  [[nodiscard]] Status publish_outputs();
  [[nodiscard]] bool has_index_file() const { return !index_path_.empty(); }
  /// Contents from a given filler have no fingerprints.
  [[nodiscard]] bool finds_duplicates() const { return options_.dedup && !make_filler_; }
  [[nodiscard]] bool keeps_volumes() const { return kept_ != nullptr && !kept_->volumes().empty(); }

  storage::Env& env_;
  const BuildOptions& options_;
  BatchFillerMaker make_filler_;
  StopFlag stop_;
  Budget budget_;
  std::string index_path_;
  std::int64_t created_seconds_ = 0;
  bool created_given_ = false;
  SpoolPlace spool_place_;
  LossLog losses_;
  ProgressMeter progress_;
  OutputFiles outputs_;
  storage::NameLocks locks_;

  std::unique_ptr<storage::Directory> opened_;  ///< null: the caller has opened the source
  const storage::Directory* root_;
  const KeptTree* kept_;  ///< null: numbers and contents are new
  std::optional<KeptPlan> plan_;
  OutputVolumes volumes_;
  std::unique_ptr<storage::File> index_file_;
  std::unique_ptr<TreeSpool> tree_;
  std::unique_ptr<LinkSorter> links_;
  DictionarySet dictionaries_;
  std::optional<ContentPacker> packer_;
  ScanTotals totals_;
  BuildReport report_;
};

}  // namespace dgfs::builder
