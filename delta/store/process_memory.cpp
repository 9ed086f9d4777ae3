// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/process_memory.h"

#include <malloc.h>

namespace dgfs::delta {

void give_back_freed_memory() {
#ifdef M_TRIM_THRESHOLD
  // Setting any of the bounds keeps glibc from raising both of them.
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
}

}  // namespace dgfs::delta
