// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Pipeline

/// A stage or a gate whose run is a closure.
struct FakeStage: Stage, Gate {
  let name: String
  let body:
    @Sendable (
      _ input: AsyncStream<EnrichedLocation>, _ deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      _ report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async throws -> Void

  func run(
    _ input: AsyncStream<EnrichedLocation>, deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async throws { try await body(input, deliver, report) }

  func run(
    _ input: AsyncStream<EnrichedLocation>, pass: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async throws { try await body(input, pass, report) }
}
