// SPDX-License-Identifier: Apache-2.0

/// An entry of a stored ledger; `nil` where its selector has an application name.
///
/// Programs chose these names themselves, and earlier versions took them into selectors.
struct StoredEntry<Entry: Decodable>: Decodable {
  private enum Key: String, CodingKey {
    case selector, applicationID
  }

  let entry: Entry?

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let selector =
      Entry.self == ClientSelector.self
      ? container : try container.nestedContainer(keyedBy: Key.self, forKey: .selector)
    let name = try selector.decodeIfPresent(String.self, forKey: .applicationID)
    entry = name == nil ? try Entry(from: decoder) : nil
  }
}
