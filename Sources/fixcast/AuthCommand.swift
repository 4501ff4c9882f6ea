// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast auth`: who may know where the board is.
struct AuthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth",
    abstract: "Say who may know where the board is.",
    discussion: """
      A program that nobody has decided on waits, and shows up in 'fixcast auth pending'. WHO is \
      one or more of uid=1000, user=pi, unit=weather.service and app=NAME, all of which must fit. \
      The most precise answer wins. An app's name is its own word: it narrows what its user or \
      unit may know and grants nothing by itself.

      Answers lie in /var/lib/fixcast. Files in /etc/fixcast/policy.d stand above them where they \
      say 'lock WHO', and below them where they say 'allow WHO', 'deny WHO' or 'ask WHO'; those \
      of an image in /usr/lib/fixcast/policy.d come last.

      The mode is \(AuthMode.text)

      Exits 77 where you may not, or a lock stands against it, 78 where a file cannot be read.
      """,
    subcommands: [
      AuthList.self, AuthPending.self, AuthAllow.self, AuthDeny.self, AuthReset.self,
      AuthExplain.self,
    ],
    defaultSubcommand: AuthList.self)
}

/// What the decisions are worth.
enum AuthMode {
  static let name = "cooperative"

  static let text =
    "cooperative: programs that ask through Fixcast obey; one that opens the receiver itself is "
    + "not kept from it."
}
