// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
