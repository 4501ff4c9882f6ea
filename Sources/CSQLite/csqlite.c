// SPDX-License-Identifier: Apache-2.0

// The package manager requires a source file; all code is in the header.
#include "CSQLite.h"
