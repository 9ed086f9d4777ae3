// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Turns scanned entries into completed entries.
#pragma once

#include <string_view>

#include "builder/spool/spool.h"
#include "builder/spool/tree_record.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// Sets all fields of `entry` that follow from the scan, and stored_bytes as for a raw file without
/// holes; other fields get their defaults. Reuses strings. Leaves out a target that is too long for
/// an entry.
void complete_entry(std::string_view prefix, const ScannedEntry& scanned, format::Entry& entry);

/// Encodes a link record for the spool that keeps it until the end of the index.
void encode_link_record(const format::Entry& record, Buffer& out);
/// Decodes the next link record of the spool. Errors: kCorrupt, those of Spool::read().
[[nodiscard]] Status decode_link_record(SpoolCursor& cursor, format::Entry& record);

}  // namespace dgfs::builder
