// SPDX-License-Identifier: Apache-2.0

/// A plugin in a plan: how to create it and how to supervise it.
public struct PluginSpecification: Sendable {
  /// Creates an instance.
  ///
  /// Creating an instance opens no file or socket and starts no thread.
  public enum Maker: Sendable {
    /// Creates a gate.
    case gate(@Sendable () throws -> any Gate)
    /// Creates a stage.
    case stage(@Sendable () throws -> any Stage)
    /// Creates a sink.
    case sink(@Sendable () throws -> any Sink)

    /// Creates an instance of any role.
    package func make() throws -> any Sendable {
      switch self {
      case .gate(let make): try make()
      case .stage(let make): try make()
      case .sink(let make): try make()
      }
    }
  }

  /// The name in reports and in the status, which also identifies the plugin in the next plan.
  public var name: String
  /// Creates an instance.
  public var maker: Maker
  /// Settings of any type.
  ///
  /// If a new plan contains different settings, the plugin is replaced.
  public var settings: any Equatable & Sendable
  /// Whether the run ends if the plugin fails permanently.
  public var isRequired: Bool
  /// The deadline for processing one event; `nil` for no deadline.
  ///
  /// The default is 30 seconds for a gate or sink, and 5 minutes for a stage, which may try several
  /// providers.
  public var timeout: Duration?
  /// The behaviour and limit of the plugin's queue.
  public var mailbox: MailboxPolicy
  /// The delay before a restart.
  public var restart: RestartPolicy
  /// Returns whether a sink receives an event; by default, the sink receives every event.
  ///
  /// The filter avoids waking the sink for events that the sink ignores. The filter is called for
  /// each event, in order, on the sender's thread, and must return immediately.
  public var takes: @Sendable (any PipelineEvent) -> Bool = { _ in true }
  /// Whether a sink may block its thread, for example in a write.
  ///
  /// A sink that may block runs on its own thread.
  public var mayBlock = true

  /// Creates a specification.
  ///
  /// - Parameters:
  ///   - name: The name in reports and in the status.
  ///   - maker: Creates an instance.
  ///   - settings: The settings that ``maker`` uses.
  ///   - isRequired: Whether the run ends if the plugin fails permanently.
  ///   - mailbox: The behaviour and limit of the plugin's queue. By default, gates and stages keep
  ///     only the newest location, the only location that lookups need, and sinks keep the newest
  ///     1024 events.
  ///   - restart: The delay before a restart.
  public init(
    _ name: String, _ maker: Maker, settings: any Equatable & Sendable = "",
    isRequired: Bool = false,
    mailbox: MailboxPolicy? = nil, restart: RestartPolicy = RestartPolicy()
  ) {
    self.name = name
    self.maker = maker
    self.settings = settings
    self.isRequired = isRequired
    self.restart = restart
    switch maker {
    case .gate: timeout = Self.standardTimeout(.gate)
    case .stage: timeout = Self.standardTimeout(.stage)
    case .sink: timeout = Self.standardTimeout(.sink)
    }
    if case .sink = maker {
      self.mailbox = mailbox ?? .dropOldest(limit: 1024)
    } else {
      self.mailbox = mailbox ?? .keepNewest
    }
  }

  /// Returns the default deadline for processing one event.
  public static func standardTimeout(_ role: PluginRole) -> Duration {
    switch role {
    case .gate, .sink: .seconds(30)
    case .stage: .seconds(300)
    }
  }

  /// The role of the plugin.
  public var role: PluginRole {
    switch maker {
    case .gate: .gate
    case .stage: .stage
    case .sink: .sink
    }
  }

  /// Whether an instance created from another specification also satisfies this specification.
  func isCompatible(with other: PluginSpecification) -> Bool {
    settings.isEqual(to: other.settings) && isRequired == other.isRequired
      && timeout == other.timeout && mailbox == other.mailbox && restart == other.restart
  }
}

extension Equatable {
  fileprivate func isEqual(to other: any Equatable) -> Bool {
    (other as? Self).map { $0 == self } ?? false
  }
}
