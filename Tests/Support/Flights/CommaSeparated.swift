package import Foundation

/// A table of comma-separated values with a header line and without quotes, which is all these data use.
package struct CommaSeparated {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let rows: [[Substring]]
    private let columns: [String: Int]

    /// - Throws: `Failure` when the file cannot be read, has a quoted field, or a row of the wrong width.
    package init(_ file: URL) throws {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw Failure(description: "cannot read \(file.path): check that the file exists and is UTF-8 text")
        }
        guard !text.utf8.contains(UInt8(ascii: "\"")) else {
            throw Failure(description: "\(file.path) has quoted fields, which this reader does not know")
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        guard !lines.isEmpty else {
            throw Failure(description: "\(file.path) is empty: a header line is expected")
        }
        let header = lines.removeFirst().split(separator: ",", omittingEmptySubsequences: false)
        columns = Dictionary(header.enumerated().map { (String($1), $0) }) { first, _ in first }
        rows = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        if let wrong = rows.firstIndex(where: { $0.count != header.count }) {
            throw Failure(
                description: "\(file.path) line \(wrong + 2) has \(rows[wrong].count) fields instead of \(header.count)"
            )
        }
    }

    /// The position of a column.
    package func column(_ name: String) throws -> Int {
        guard let index = columns[name] else { throw Failure(description: "there is no column '\(name)'") }
        return index
    }
}

extension Substring {
    /// The field as text; nil when it says NA.
    var text: String? { self == "NA" ? nil : String(self) }
    var integer: Int? { Int(self) }
    var number: Double? { Double(self) }
}
