// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Anything that arrives at a sink.
///
/// An open set: a feature adds events of its own, and a sink passes over those it does not know.
public protocol PipelineEvent: Sendable {
  /// Which one it is about, where there are several of its kind, such as receivers or gates.
  ///
  /// Of each kind and subject the newest stands for all before it.
  var subject: String? { get }

  /// Whether it says that something went wrong: where alerts are never dropped, it is not.
  var isAlert: Bool { get }
}

extension PipelineEvent {
  /// None: the newest of its kind stands for all before it.
  public var subject: String? { nil }

  /// No: the next of its kind says how things are.
  public var isAlert: Bool { false }
}

/// A location, as soon as it is there.
public struct LocationEvent: PipelineEvent, Equatable {
  /// The location.
  public var location: Location
  /// Which of the pipeline's locations it is, from 1 on; `nil` outside of one.
  public internal(set) var number: UInt64?

  /// Makes an event.
  public init(_ location: Location) { self.location = location }
}

/// An epoch without a position: what was known before does not hold any more.
public struct NoFixEvent: PipelineEvent, Equatable {
  /// The fix of the epoch, of mode `none`.
  public var fix: Fix

  /// Makes an event.
  public init(_ fix: Fix) { self.fix = fix }
}

/// A sky, as soon as it is there.
public struct SkyEvent: PipelineEvent, Equatable {
  /// The sky.
  public var sky: SkyView
  /// The receiver that reports it.
  public var device: String?
  /// The receiver: the skies of two are two.
  public var subject: String? { device }

  /// Makes an event.
  public init(_ sky: SkyView, device: String?) {
    self.sky = sky
    self.device = device
  }
}

/// A gate that begins to hold or lets through again.
public struct GateEvent: PipelineEvent, Equatable {
  /// Which gate.
  public var gate: String
  /// What the gate calls itself, which says what it decides by; ``gate`` where it has no other name.
  public var type: String
  /// The gate: each says for itself whether it holds.
  public var subject: String? { gate }
  /// What it does from now on.
  public var verdict: Verdict
  /// How many locations it has held since it began to hold.
  public var heldCount: Int

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - gate: Which gate.
  ///   - verdict: What it does from now on.
  ///   - heldCount: How many locations it has held.
  public init(gate: String, verdict: Verdict, heldCount: Int) {
    self.gate = gate
    type = gate
    self.verdict = verdict
    self.heldCount = heldCount
  }
}

/// A location that has been through all gates and stages.
public struct EnrichedEvent: PipelineEvent {
  /// The location with what the stages found.
  public var value: EnrichedLocation

  /// Makes an event.
  ///
  /// - Parameter value: The location with what the stages found.
  public init(_ value: EnrichedLocation) { self.value = value }
}

/// Something that failed and was not the end.
public struct ErrorEvent: PipelineEvent, Equatable {
  /// What failed.
  public var source: String
  /// What failed: what one has to say does not stand for another.
  public var subject: String? { source }
  /// Yes.
  public var isAlert: Bool { true }
  /// How, in a sentence.
  public var message: String

  /// Makes an event.
  public init(source: String, message: String) {
    self.source = source
    self.message = message
  }
}

/// What became of a lookup: counted by the pipeline, and not given to sinks.
public enum LookupEvent: PipelineEvent, Equatable {
  /// A provider was asked.
  case asked
  /// It answered.
  case answered
  /// It did not, and will not.
  case failed
  /// A lookup is wanted and comes too soon after another: the newest location waits for it.
  case postponed
  /// One that was postponed is not made: there was nothing left to wait with.
  case abandoned
}
