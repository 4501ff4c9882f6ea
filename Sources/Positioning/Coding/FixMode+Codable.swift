// SPDX-License-Identifier: Apache-2.0

extension FixMode: Codable {}

extension FixStatus: Codable {}
