// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Result<T>: a value or an Error (Boost.Outcome). Reading the value of a failed result ends the
// program, so every caller checks the result or passes the error on with DGFS_TRY.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>

#include "base/error.h"

namespace dgfs {

/// A value, or the Error of the failed call. The rules of T for threads and lifetime hold for it,
/// too.
template <class T>
using Result = boost::outcome_v2::basic_result<T, Error, boost::outcome_v2::policy::terminate>;

/// Success, or the Error of the failed call.
using Status = Result<void>;

/// The value of a successful Status: `return ok();`
inline auto ok() { return boost::outcome_v2::success(); }

}  // namespace dgfs

/// DGFS_TRY(name, expression): binds `name` to the value, or returns the error to the caller.
#define DGFS_TRY(name, ...) BOOST_OUTCOME_TRYA(name, __VA_ARGS__)
/// DGFS_CHECK(expression): the same for a Status.
#define DGFS_CHECK(...) BOOST_OUTCOME_TRYV(__VA_ARGS__)
