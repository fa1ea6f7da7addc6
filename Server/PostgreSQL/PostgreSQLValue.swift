/// A parameter of a statement.
package enum PostgreSQLParameter: Sendable {
    /// As PostgreSQL reads the type from a text. A byte 0 would end it.
    case text([UInt8])
    /// As the type is on the wire: a `bytea` as it is.
    case binary([UInt8])

    /// A text; a name for example.
    package static func text(_ text: String) -> Self { .text(Array(text.utf8)) }

    /// A `bigint`.
    package static func number(_ number: Int64) -> Self { .text(Array(String(number).utf8)) }

    /// A `bytea[]`.
    package static func byteArrays(_ arrays: [[UInt8]]) -> Self { array(arrays, ofType: 17) }

    /// A `text[]`. A byte 0 is in no text of PostgreSQL.
    package static func texts(_ texts: [String]) -> Self { array(texts.map { Array($0.utf8) }, ofType: 25) }

    /// - Parameter type: the number of the elements' type.
    private static func array(_ elements: [[UInt8]], ofType type: Int) -> Self {
        var wire: [UInt8] = []
        wire.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + $1.count })
        func append(_ number: Int) {
            for shift in [24, 16, 8, 0] { wire.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        // Dimensions, whether there are nulls, the type of the elements; then the length and the first index.
        for number in [1, 0, type, elements.count, 1] { append(number) }
        for element in elements {
            append(element.count)
            wire += element
        }
        return .binary(wire)
    }
}

/// A value of a row, as its type is on the wire; empty for null.
package struct PostgreSQLValue: Hashable, Sendable {
    package var bytes: [UInt8]
    package var isNull: Bool

    /// Of a `bigint`.
    package var number: Int64? {
        guard bytes.count == 8 else { return nil }
        return Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Of a `boolean`.
    package var isTrue: Bool { bytes == [1] }

    /// Of a `text`.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
