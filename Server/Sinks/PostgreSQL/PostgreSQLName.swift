import CausewayQuery
import Crypto

/// Names of classes and properties as names of tables and columns. Devices choose them, so none may hold up a sink, and no two
/// may become one.
///
/// A name that PostgreSQL would cut, refuse or take for another one is *marked*: its beginning, `_`, and 32 hexadecimal digits
/// that are made of all of it. A name that looks marked is marked too, so no name has the mark of another one.
enum PostgreSQLName {
    /// Longer ones are cut by PostgreSQL without a word.
    static let bytesMax = 63

    /// What every table has already, and the beginning of the sink's own names.
    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "oid"]
    private static let ownPrefix = "causeway_"
    private static let markDigits = 32

    static func stored(_ name: String) -> String { needsMark(name) ? marked(name) : name }

    private static func needsMark(_ name: String) -> Bool {
        name.isEmpty || name.utf8.count > bytesMax || name.utf8.contains(0) || systemColumns.contains(name)
            || name.utf8.starts(with: ownPrefix.utf8) || isMarked(name)
    }

    private static func isMarked(_ name: String) -> Bool {
        let end = name.utf8.suffix(markDigits + 1)
        return end.count == markDigits + 1 && end.first == UInt8(ascii: "_")
            && end.dropFirst().allSatisfy { Hexadecimal.digit($0) != nil }
    }

    private static func marked(_ name: String) -> String {
        let hash = SHA256.hash(data: Array(name.utf8)).prefix(markDigits / 2)
        let mark = "_" + hash.map { Hexadecimal.text(UInt64($0), digits: 2) }.joined()
        var kept = ""
        for character in name where !character.utf8.contains(0) {
            guard kept.utf8.count + character.utf8.count + mark.utf8.count <= bytesMax else { break }
            kept.append(character)
        }
        return kept + mark
    }

    /// By scalars: a quotation mark that carries an accent is one character, and ends a name nevertheless.
    static func quoted(_ name: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
