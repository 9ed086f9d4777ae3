// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content reader fills batches with the content of the source's files.
#pragma once

#include "builder/read/batch_filler.h"
#include "builder/read/content_packer.h"
#include "builder/read/known_contents.h"
#include "builder/scan/directory_cursor.h"
#include "builder/stop.h"

namespace dgfs::builder {

struct ReaderOptions {
  std::size_t data_bytes = 0;    ///< capacity of a batch
  std::size_t open_levels = 16;  ///< directories kept open
  bool xattrs = true;
  ContentPacker* packer = nullptr;  ///< compresses; must outlive the reader. Null: nothing does
  bool fingerprints = false;        ///< what finds equal contents is wanted
  /// With fingerprints and a packer: what need not be compressed; must outlive the reader. Null:
  /// everything is.
  const KnownContents* known = nullptr;
  std::optional<format::DigestAlgorithm> digest;  ///< of contents, where they are wanted
  HashedZeros* hashed_zeros = nullptr;            ///< told of holes in digests; outlives the reader
};

/// Not thread-safe.
class ContentReader final : public BatchFiller {
 public:
  /// @param root  the source; must outlive the reader
  ContentReader(const storage::Directory& root, const ReaderOptions& options, StopFlag stop)
      : options_(options), stop_(stop), cursor_(root, options.open_levels) {}

  /// Reads the files of a batch. Batch::failure is set only if the stop flag was, the batch is
  /// damaged, or compression fails.
  void fill(Batch& batch) override;

 private:
  [[nodiscard]] Status read_items(Batch& batch);
  [[nodiscard]] Status read_piece(Batch& batch);
  [[nodiscard]] Status read_item(Batch& batch, std::size_t number, const ScannedEntry& entry);
  [[nodiscard]] Status read_file(Batch& batch, std::size_t number, const ScannedEntry& entry);
  [[nodiscard]] Status read_raw(const SourceFile& file, const ScannedEntry& entry, Batch& batch,
                                std::size_t number);
  [[nodiscard]] Status read_packed(const SourceFile& file, const ScannedEntry& entry, Batch& batch,
                                   std::size_t number);
  /// Of the item whose data begins in `batch` here, and ends it.
  void add_extent(Batch& batch, std::size_t number, std::size_t data_bytes, std::size_t frames,
                  std::uint64_t content_bytes);
  void pack(Batch& batch, std::size_t number, std::string_view name, Bytes content);
  [[nodiscard]] bool is_known(Bytes content, const Batch& batch) const;
  void end_fragments(Batch& batch);
  [[nodiscard]] bool pack_fragments(Batch& batch);
  [[nodiscard]] Status fill_piece(Batch& batch);
  [[nodiscard]] Status read_raw_piece(Batch& batch);
  [[nodiscard]] Status read_packed_piece(Batch& batch);
  void add_fingerprints(Bytes content, Batch& batch) const;
  void add_raw_fingerprints(Bytes frames, Batch& batch) const;
  /// Digest of a whole file, where digests are wanted. @param update  given a FileDigest
  template <class Update>
  [[nodiscard]] Status add_digest(const SourceFile& file, const ScannedEntry& entry,
                                  BatchItem& item, const Update& update);
  /// The same of a large file, of which a piece is there.
  template <class Update>
  [[nodiscard]] Status add_piece_digest(Batch& batch, const Update& update);
  /// Content of `file`, in memory that the next call uses again.
  [[nodiscard]] Result<Bytes> read_content(const SourceFile& file, std::uint64_t begin,
                                           std::uint64_t bytes);

  /// Small neighbours that are to share a frame, of one group.
  struct Fragments {
    std::uint64_t group = 0;
    std::vector<std::size_t> items;   ///< numbers in the batch
    std::vector<std::size_t> begins;  ///< in content
    Buffer content;                   ///< of all
    [[nodiscard]] Bytes part(std::size_t i) const {
      const auto end = i + 1 < begins.size() ? begins[i + 1] : content.size();
      return Bytes(content).subspan(begins[i], end - begins[i]);
    }
    void clear() {
      items.clear();
      begins.clear();
      content.clear();
    }
  };

  ReaderOptions options_;
  StopFlag stop_;
  DirectoryCursor cursor_;
  std::string prefix_;
  Fragments fragments_;
  Buffer content_;
  std::optional<FileDigest> digest_;  ///< once one was wanted
};

}  // namespace dgfs::builder
