// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// An event that a pipeline sends to its sinks.
///
/// Features can add their own event types; a sink ignores unknown types.
public protocol PipelineEvent: Sendable {
  /// The object that the event is about, such as a receiver or a gate; `nil` if there is only one
  /// such object.
  ///
  /// With ``MailboxPolicy/keepNewest``, a newer event replaces older events of the same type and
  /// subject.
  var subject: String? { get }

  /// Whether the event reports a failure. ``MailboxPolicy/keepAlerts(limit:)`` drops no alerts.
  var isAlert: Bool { get }
}

extension PipelineEvent {
  /// `nil`: a newer event replaces older events of the same type.
  public var subject: String? { nil }

  /// `false`.
  public var isAlert: Bool { false }
}

/// A location, sent without waiting for gates and stages.
public struct LocationEvent: PipelineEvent, Equatable {
  /// The location.
  public var location: Location
  /// The location's sequence number in the pipeline, starting at 1; `nil` outside of a pipeline.
  public internal(set) var number: UInt64?

  /// Creates an event.
  public init(_ location: Location) { self.location = location }
}

/// An epoch without a position; the previous position is no longer valid.
public struct NoFixEvent: PipelineEvent, Equatable {
  /// The fix of the epoch, with mode `none`.
  public var fix: Fix

  /// Creates an event.
  public init(_ fix: Fix) { self.fix = fix }
}

/// The satellites in view, as a receiver reported them.
public struct SkyEvent: PipelineEvent, Equatable {
  /// The satellites in view.
  public var sky: SkyView
  /// The receiver that reported the satellites; `nil` if unknown.
  public var device: String?
  /// The receiver, since each receiver has its own satellites in view.
  public var subject: String? { device }

  /// Creates an event.
  public init(_ sky: SkyView, device: String?) {
    self.sky = sky
    self.device = device
  }
}

/// A gate's change from passing to holding locations, or from holding to passing.
public struct GateEvent: PipelineEvent, Equatable {
  /// The gate's name in the plan.
  public var gate: String
  /// The gate's type, which determines the criterion; equal to ``gate`` unless the plan gives
  /// the gate another name.
  public var type: String
  /// The gate's name, since each gate passes or holds independently.
  public var subject: String? { gate }
  /// The gate's new verdict.
  public var verdict: Verdict
  /// The number of locations held since the gate last passed a location.
  public var heldCount: Int

  /// Creates an event.
  public init(gate: String, verdict: Verdict, heldCount: Int) {
    self.gate = gate
    type = gate
    self.verdict = verdict
    self.heldCount = heldCount
  }
}

/// A location that has passed all gates and stages.
public struct EnrichedEvent: PipelineEvent {
  /// The location with the enrichments of the stages.
  public var value: EnrichedLocation

  /// Creates an event.
  public init(_ value: EnrichedLocation) { self.value = value }
}

/// A failure that did not end the program.
public struct ErrorEvent: PipelineEvent, Equatable {
  /// The component that failed.
  public var source: String
  /// The component that failed, since each component has its own failures.
  public var subject: String? { source }
  /// `true`.
  public var isAlert: Bool { true }
  /// A description of the failure.
  public var message: String

  /// Creates an event.
  public init(source: String, message: String) {
    self.source = source
    self.message = message
  }
}

/// The progress of a lookup.
///
/// The pipeline counts these events and does not send them to sinks.
public enum LookupEvent: PipelineEvent, Equatable {
  /// A request was sent to a provider.
  case asked
  /// The provider answered.
  case answered
  /// The lookup ended without an answer.
  case failed
  /// The lookup came too soon after the previous lookup. It is done later, for the newest location.
  case postponed
  /// A lookup was cancelled because the network path was lost, or a postponed lookup was dropped
  /// because the input ended.
  case abandoned
}
