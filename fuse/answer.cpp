// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/answer.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

namespace dgfs::fuse {
namespace {

// "a/b", or "inode 7" if damage hides the path.
std::string object_text(const Service& service, const Call& call) {
  const auto path = service.file_system.path_of(call.inode);
  std::string text = path ? "/" + path.value() : fmt::format("inode {}", call.inode);
  if (call.name == nullptr) return text;
  if (text.back() != '/') text += '/';
  return text + call.name;
}

}  // namespace

void log_fault(Service& service, const Call& call, const Error& error) noexcept {
  try {
    if (is_fault(error, call.subject) && service.log.is_due(error)) {
      service.log.write(
          fmt::format("{} of {}", request_name(call.request), object_text(service, call)), error);
    }
  } catch (const std::exception&) {
    // Out of memory while logging: the program still gets the reply.
  }
}

void answer_error(fuse_req_t request, const Call& call, const Error& error) noexcept {
  log_fault(service_of(request), call, error);
  service_of(request).counters.count_failure(call.request);
  fuse_reply_err(request, error_number(error, call.subject));
}

void answer_exception(fuse_req_t request, const Call& call) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    service_of(request).counters.count_failure(call.request);
    fuse_reply_err(request, ENOMEM);
  } catch (const std::exception& exception) {
    answer_error(request, call, Error(ErrorKind::kIo, 5001, exception.what()));
  } catch (...) {
    answer_error(request, call, Error(ErrorKind::kIo, 5002, "unknown exception"));
  }
}

}  // namespace dgfs::fuse
