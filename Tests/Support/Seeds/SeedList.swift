import Foundation

/// Seeds that failed once, in a file of `Tests/Vectors/seeds`: a line each, and what is behind a `#` is for the reader.
package struct SeedList: Sendable {
    private let path: String
    /// The words of each line that has any.
    package let lines: [[String]]

    package init(path: String) throws {
        self.path = path
        lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.prefix { $0 != "#" }.split(separator: " ").map { String($0) }
            return words.isEmpty ? nil : words
        }
    }

    /// The list of this name in the tree.
    package init(_ name: String) throws {
        try self.init(path: Self.path(of: name))
    }

    static func path(of name: String) -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return tests.appendingPathComponent("Vectors/seeds/\(name).txt").path
    }

    /// Each line a number.
    package func numbers() throws -> [UInt64] {
        try lines.map { words in
            guard words.count == 1, let number = UInt64(words[0]) else { throw unreadable(words) }
            return number
        }
    }

    package func unreadable(_ words: [String]) -> any Error {
        Unreadable(description: "\(path): “\(words.joined(separator: " "))” is no seed")
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }
}

extension SeedList {
    /// Where a run begins that nobody gives a seed: another place each time.
    package static func drawn() -> UInt64 { UInt64.random(in: 1...drawnMax) }

    /// Room for many runs, and few digits to type.
    private static let drawnMax: UInt64 = 999_999_999_999
}
