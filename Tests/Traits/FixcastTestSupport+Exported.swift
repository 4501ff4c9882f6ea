// SPDX-License-Identifier: Apache-2.0

// Test files import one module for the traits and for the helpers that need no Testing.
@_exported public import FixcastTestSupport
