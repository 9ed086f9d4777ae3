// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/build/check.h"

#include "reader/image.h"
#include "storage/file.h"
#include "tools/cli/report_cap.h"
#include "tools/info/verification.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

/// Drops the file from the page cache, so that verification reads the device. Ignores errors:
/// verification meets them again.
void forget(const Session& session, const std::string& path) {
  if (path.empty()) return;
  if (const auto file = session.env().open(path)) {
    file.value()->advise(storage::Access::kDontNeed, 0, 0);
  }
}

}  // namespace

int check_published(const Session& session, const PublishedImage& published, unsigned jobs,
                    bool quiet, std::optional<reader::VerifyReport>& report) {
  const std::string& path = published.image_path;
  forget(session, path);
  forget(session, published.index_path);
  for (const std::string& volume : published.volume_paths) forget(session, volume);
  reader::OpenOptions open;
  open.volume_paths = published.volume_paths;
  if (!published.index_path.empty()) open.index_path = published.index_path;
  open.warn = [&](const Error& error) { session.complain("damaged: " + error.message()); };
  const auto image = reader::Image::open(session.env(), path, open);
  if (!image) {
    return session.fail(image.error(),
                        shell_quoted(path) + " is in its place, but cannot be opened");
  }
  reader::VerifyOptions verify;
  verify.jobs = jobs;
  verify.digests = published.has_digests;
  ReportCap files;
  ReportCap index_places;
  verify.damaged_file = [&](const std::string& file, const Error& error) {
    if (files.take()) session.complain("damaged: " + shell_quoted(file) + ": " + error.message());
  };
  verify.damaged_index = [&](const Error& error) {
    if (index_places.take()) session.complain("damaged: index: " + error.message());
  };
  auto verified = verify_with_progress(session, *image.value(), verify, quiet);
  if (!verified) {
    return session.fail(verified.error(),
                        shell_quoted(path) + " is complete and in its place, but not verified");
  }
  constexpr char kLister[] = "dgfs verify --json";
  for (const auto& rest :
       {index_places.rest("in the index", kLister), files.rest("in files", kLister)}) {
    if (rest) session.complain("damaged: " + *rest);
  }
  report = verified.value();
  if (report->sound()) return kExitDone;
  session.complain(path, "the image is in its place, but damaged: " + summary_text(*report));
  return kExitFailed;
}

}  // namespace dgfs::tools
