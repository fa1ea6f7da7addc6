/// A string that is equal to another one if and only if their UTF-8 bytes are the same.
///
/// Swift's own `==` is Unicode's canonical equivalence: it takes "é" for "e" with a combining accent, and the Kelvin
/// sign for "K". But bytes are stored and sent, and what differs there is not the same. So names from data, users or
/// the network are keys of dictionaries and sets by this type, or are compared by `isSame(as:)`.
@usableFromInline
package struct ExactString: Hashable, Sendable {
    @usableFromInline package var string: String

    @inlinable
    package init(_ string: String) {
        self.string = string
    }

    @inlinable
    package static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.isSame(as: right.string)
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        string.hashBytes(into: &hasher)
    }
}

extension ExactString: Comparable {
    @inlinable
    package static func < (left: ExactString, right: ExactString) -> Bool {
        left.string.precedes(right.string)
    }
}

extension ExactString: ExpressibleByStringLiteral {
    @usableFromInline
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

extension ExactString: CustomStringConvertible {
    @usableFromInline
    package var description: String { string }
}

extension String {
    /// Whether both have the same bytes.
    @inlinable
    package func isSame(as other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        if case .some(.some(let isSame)) = isSame { return isSame }
        return utf8.elementsEqual(other.utf8)
    }

    /// Whether its bytes come before the other's: the order of strings in every index, set and map.
    @inlinable
    package func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    @inlinable
    package func hashBytes(into hasher: inout Hasher) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isDone == nil { for byte in utf8 { hasher.combine(byte) } }
        // UTF-8 never has this byte, so it marks the end of the string.
        hasher.combine(UInt8.max)
    }
}

extension UnsafeRawBufferPointer {
    /// - Precondition: both have the same count.
    @inlinable
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset &+ 8 <= count {
            guard
                loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset &+= 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset &+= 1
        }
        return true
    }
}
