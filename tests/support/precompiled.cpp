// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Exists so that a target can compile precompiled.h.
#include "tests/support/precompiled.h"

int main() { return 0; }
