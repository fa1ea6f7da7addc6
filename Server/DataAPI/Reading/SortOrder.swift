import CausewayModel
import CausewayQuery
import CausewayStore

/// The order of a page: some properties, and at last the row, so that no two objects stand at one place.
struct SortOrder: Hashable, Sendable {
    struct Key: Hashable, Sendable {
        var column: Int
        var isDescending: Bool
    }

    var keys: [Key] = []

    static let keysMax = 8
    /// Strings and data are ordered by so many first bytes; what has the same stands in the order of the rows. So a
    /// position is small, however long the values are.
    static let valueBytesMax = 256

    /// Where an object stands.
    struct Position: Hashable, Sendable {
        /// One for each key; none in the order of the rows.
        var values: [Value] = []
        var row: ObjectKey
    }

    func position(of row: Row, in snapshot: any StoreSnapshot) -> Position {
        Position(values: keys.map { Self.clipped(snapshot.value(of: $0.column, in: row)) }, row: row.key)
    }

    func precedes(_ left: Position, _ right: Position) -> Bool {
        for ((left, right), key) in zip(zip(left.values, right.values), keys) {
            if ValueOrder.precedes(left, right) { return !key.isDescending }
            if ValueOrder.precedes(right, left) { return key.isDescending }
        }
        return left.row < right.row
    }

    private static func clipped(_ value: Value) -> Value {
        switch value {
        case .string(let text): .bytes(Array(text.utf8.prefix(valueBytesMax)))
        case .bytes(let bytes): .bytes(Array(bytes.prefix(valueBytesMax)))
        default: value
        }
    }
}

extension SortOrder {
    /// Reads `name,-age`: a minus puts the greatest first.
    init(_ text: String, _ classSchema: ClassSchema) throws(APIError) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        guard names.count <= Self.keysMax else {
            throw APIError(.requestInvalid, "sort names \(names.count) properties; \(Self.keysMax) are the most.")
        }
        for name in names {
            let isDescending = name.utf8.first == UInt8(ascii: "-")
            let name = String(isDescending ? name.dropFirst() : name)
            let column = try classSchema.column(name)
            let property = classSchema.properties[column]
            guard property.collection == .none, property.type != .object else {
                throw APIError(
                    .requestInvalid,
                    "sort names “\(name)”, which has no order. Sort by properties with one value that is no link.")
            }
            guard !keys.contains(where: { $0.column == column }) else {
                throw APIError(
                    .requestInvalid,
                    "sort names “\(name)” twice. Name it once: where two objects have the same value, it orders no more."
                )
            }
            keys.append(Key(column: column, isDescending: isDescending))
        }
    }
}
