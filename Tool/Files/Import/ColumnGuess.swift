import CausewayJSON
import CausewayModel

/// The type of a column whose head names none: the narrowest one that every cell has.
///
/// A text such as `007` or `+1` is no number, because a number would not be written back as it was.
struct ColumnGuess {
    /// The narrowest first.
    private var candidates: [PropertyType] = [.int, .double, .bool, .date, .objectId, .uuid]
    private var hasCells = false

    /// String, if no cell says otherwise.
    var type: PropertyType { hasCells ? candidates.first ?? .string : .string }

    /// - Parameter text: of a cell that is not null.
    mutating func see(_ text: String) {
        hasCells = true
        candidates.removeAll { !Self.fits(text, $0) }
    }

    private static func fits(_ text: String, _ type: PropertyType) -> Bool {
        switch type {
        case .int: Int64(text).map(String.init) == text
        case .double: isDecimal(text)
        case .bool: text == "true" || text == "false"
        case .date, .objectId, .uuid: ValueText.value(text, type) != nil
        default: false
        }
    }

    /// Whether it is a JSON number that a Double can stand for. A whole number beyond Int64 would lose digits.
    private static func isDecimal(_ text: String) -> Bool {
        guard case .number? = try? JSONReader.read(Array(text.utf8)) else { return false }
        let isWhole = !text.utf8.contains {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
        }
        return isWhole ? Int64(text) != nil : Double(text)?.isFinite == true
    }
}
