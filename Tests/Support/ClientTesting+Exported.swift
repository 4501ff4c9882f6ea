// SPDX-License-Identifier: Apache-2.0

// Test files that import FixcastTesting also use ManualClock, EventRecorder and the conformance
// suites, which are products.
@_exported public import ClientTesting
