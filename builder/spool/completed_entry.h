// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// From scanned to completed entries.
#pragma once

#include <string_view>

#include "builder/spool/spool.h"
#include "builder/spool/tree_record.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// Sets all fields of `entry` that follow from the scan alone; the others get their defaults, and
/// stored_bytes what a file without holes takes. Strings are reused. Targets longer than an entry
/// holds are left out.
void complete_entry(std::string_view prefix, const ScannedEntry& scanned, format::Entry& entry);

/// Link records on their way to the end of the index: values and bytes of a spool.
void encode_link_record(const format::Entry& record, Buffer& out);
/// Reads the next one. Errors: kCorrupt, those of Spool::read.
[[nodiscard]] Status decode_link_record(SpoolCursor& cursor, format::Entry& record);

}  // namespace dgfs::builder
