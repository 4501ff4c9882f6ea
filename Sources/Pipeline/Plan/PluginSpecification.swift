// SPDX-License-Identifier: Apache-2.0

/// A plugin as it is wanted in a pipeline: how one is made, and how it is looked after.
public struct PluginSpecification: Sendable {
  /// Makes an instance, which touches nothing before it runs.
  public enum Maker: Sendable {
    /// Makes a gate.
    case gate(@Sendable () throws -> any Gate)
    /// Makes a stage.
    case stage(@Sendable () throws -> any Stage)
    /// Makes a sink.
    case sink(@Sendable () throws -> any Sink)

    /// Makes an instance, of whatever role.
    package func make() throws -> any Sendable {
      switch self {
      case .gate(let make): try make()
      case .stage(let make): try make()
      case .sink(let make): try make()
      }
    }
  }

  /// The name it is reported under, and by which it is found again in the next plan.
  public var name: String
  /// Makes an instance.
  public var maker: Maker
  /// Settings of any type: if they differ from those of the last plan, another instance is made.
  public var settings: any Equatable & Sendable
  /// Whether the run ends when it is left out.
  public var isRequired: Bool
  /// How long it may take over one event; `nil` for as long as it likes.
  ///
  /// Half a minute at first for a sink or a gate, and five for a stage, which may ask one provider
  /// after another.
  public var timeout: Duration?
  /// What waits before it.
  public var mailbox: MailboxPolicy
  /// How long it waits after a failure.
  public var restart: RestartPolicy
  /// Whether a sink is given an event; by default every one.
  ///
  /// What it would pass over anyway need not wake it. Called for each event, in order, by whoever
  /// sends it, and returns at once.
  public var takes: @Sendable (any PipelineEvent) -> Bool = { _ in true }
  /// Whether a sink may block its thread, as in writing: then it has one of its own.
  public var mayBlock = true

  /// Describes a plugin.
  ///
  /// - Parameters:
  ///   - name: The name it is reported under.
  ///   - maker: Makes an instance.
  ///   - settings: The settings that ``maker`` uses.
  ///   - isRequired: Whether the run ends when it is left out.
  ///   - mailbox: What waits before it; by default the newest for gates and stages, since before a
  ///     lookup only that means anything, and the newest 1024 events for sinks.
  ///   - restart: How long it waits after a failure.
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

  /// How long a plugin may take over one event where nothing else is said.
  public static func standardTimeout(_ role: PluginRole) -> Duration {
    switch role {
    case .gate, .sink: .seconds(30)
    case .stage: .seconds(300)
    }
  }

  /// What it is in a pipeline.
  public var role: PluginRole {
    switch maker {
    case .gate: .gate
    case .stage: .stage
    case .sink: .sink
    }
  }

  /// Whether an instance that runs by another specification may go on under this one.
  func isServed(by other: PluginSpecification) -> Bool {
    settings.isEqual(to: other.settings) && isRequired == other.isRequired
      && timeout == other.timeout && mailbox == other.mailbox && restart == other.restart
  }
}

extension Equatable {
  fileprivate func isEqual(to other: any Equatable) -> Bool {
    (other as? Self).map { $0 == self } ?? false
  }
}
