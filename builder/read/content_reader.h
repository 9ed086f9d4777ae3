// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content reader fills batches with the content of files of the source.
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
  FileRules rules;
  /// Compresses contents; must outlive the reader. Null: no compression.
  ContentPacker* packer = nullptr;
  bool fingerprints = false;  ///< make fingerprints for deduplication
  /// With fingerprints and a packer: contents that need not be compressed; must outlive the reader.
  /// Null: all are compressed.
  const KnownContents* known = nullptr;
  std::optional<format::DigestAlgorithm> digest;  ///< set if digests of contents are wanted
  HashedZeros* hashed_zeros = nullptr;            ///< counts hashed zeros; must outlive the reader
};

/// Not thread-safe.
class ContentReader final : public BatchFiller {
 public:
  /// @param root  the source; must outlive the reader
  ContentReader(const storage::Directory& root, const ReaderOptions& options, StopFlag stop)
      : options_(options), stop_(stop), cursor_(root, options.open_levels) {}

  /// Reads the files of a batch. Sets Batch::failure only if the stop flag is set, the batch is
  /// damaged, or compression fails.
  void fill(Batch& batch) override;

 private:
  [[nodiscard]] Status read_items(Batch& batch);
  [[nodiscard]] Status read_piece(Batch& batch);
  [[nodiscard]] Status read_item(Batch& batch, std::size_t number, const ScannedEntry& entry);
  [[nodiscard]] Status read_file(Batch& batch, std::size_t number, const ScannedEntry& entry,
                                 bool is_last_try);
  [[nodiscard]] Status read_raw(const SourceFile& file, Batch& batch, std::size_t number,
                                bool is_last_try);
  [[nodiscard]] Status read_packed(const SourceFile& file, const ScannedEntry& entry, Batch& batch,
                                   std::size_t number, bool is_last_try);
  /// Makes room in the batch for a file that has grown since the scan.
  [[nodiscard]] Status make_room(const SourceFile& file, const ScannedEntry& entry, Batch& batch,
                                 std::size_t number);
  /// Decides whether content that was read is kept, although the file may have changed meanwhile.
  /// @param content  as it was read: content, or raw frames
  /// @param again    reads the same again into the memory that it gets
  template <class Again>
  [[nodiscard]] Status settle(const SourceFile& file, Bytes content, bool is_last_try,
                              BatchItem& item, const Again& again);
  /// Adds the extent of item `number`: the data and checksums added to the batch since `data_bytes`
  /// and `frames`.
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
  /// Makes the digest of a whole file if digests are wanted. `update` gets a FileDigest.
  template <class Update>
  [[nodiscard]] Status add_digest(const SourceFile& file, BatchItem& item, const Update& update);
  /// The same for a large file, with the piece in the batch.
  template <class Update>
  [[nodiscard]] Status add_piece_digest(Batch& batch, const Update& update);
  /// Content of `file`, in memory that the next call overwrites.
  [[nodiscard]] Result<Bytes> read_content(const SourceFile& file, std::uint64_t begin,
                                           std::uint64_t bytes);

  /// Small neighbours of one group, which will share a frame.
  struct Fragments {
    std::uint64_t group = 0;
    std::vector<std::size_t> items;   ///< numbers of the items in the batch
    std::vector<std::size_t> begins;  ///< where each begins in `content`
    Buffer content;                   ///< of all of them
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
  std::optional<FileDigest> digest_;  ///< made for the first digest
};

}  // namespace dgfs::builder
