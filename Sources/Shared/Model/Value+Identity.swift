// `==` of values means that their representations are the same: either can take the other's place and nothing changes.
// Strings are the same by their bytes, numbers by their bits. All NaNs of floats and doubles are one.
//
// *Comparing* values is wider: 0 equals −0, and decimal 1.0 equals 1.00. It goes by other names: `ValueComparison` in
// queries, `ValueOrder` in sorts, `Value.canonicallyPrecedes` and `SetElement` in sets.

extension Value: Hashable {
    @usableFromInline
    package static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.float(let left), .float(let right)): left.storedBits == right.storedBits
        case (.double(let left), .double(let right)): left.storedBits == right.storedBits
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.objectId(let left), .objectId(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left.hasSameBits(as: right)
        case (.object(let left), .object(let right)): left == right
        case (.link(let left), .link(let right)): left == right
        case (.anyObject(let left), .anyObject(let right)): left == right
        case (.anyLink(let left), .anyLink(let right)): left == right
        default: false
        }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(canonicalRank)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.storedBits)
        case .double(let value): hasher.combine(value.storedBits)
        case .string(let value): value.hashBytes(into: &hasher)
        case .bytes(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .decimal(let value):
            hasher.combine(value.high)
            hasher.combine(value.low)
        case .object(let value): hasher.combine(value)
        case .link(let value): hasher.combine(value)
        case .anyObject(let value): hasher.combine(value)
        case .anyLink(let value): hasher.combine(value)
        }
    }
}

extension ClassedLink: Hashable {
    @inlinable
    package static func == (left: ClassedLink, right: ClassedLink) -> Bool {
        left.key == right.key && left.className.isSame(as: right.className)
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        className.hashBytes(into: &hasher)
        hasher.combine(key)
    }
}

extension PrimaryKey: Hashable {
    @inlinable
    package static func == (left: PrimaryKey, right: PrimaryKey) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.int(let left), .int(let right)): left == right
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.objectId(let left), .objectId(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.container(let left), .container(let right)): left == right
        default: false
        }
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(UInt8(0))
        case .int(let value):
            hasher.combine(UInt8(1))
            hasher.combine(value)
        case .string(let value):
            hasher.combine(UInt8(2))
            value.hashBytes(into: &hasher)
        case .objectId(let value):
            hasher.combine(UInt8(3))
            hasher.combine(value)
        case .uuid(let value):
            hasher.combine(UInt8(4))
            hasher.combine(value)
        case .container(let value):
            hasher.combine(UInt8(5))
            hasher.combine(value)
        }
    }
}

/// A value as an element of a set, where values that compare equal are one element: 0 and −0, all NaNs, decimal 1.0 and
/// 1.00. Strings are one element only if their bytes are the same.
package struct SetElement: Hashable, Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package static func == (left: SetElement, right: SetElement) -> Bool {
        switch (left.value, right.value) {
        case (.float(let left), .float(let right)): left == right || left.isNaN && right.isNaN
        case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
        case (.decimal(let left), .decimal(let right)): left.orderedBits == right.orderedBits
        case (let left, let right): left == right
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch value {
        case .float(let number): hasher.combine((number + 0.0).storedBits)
        case .double(let number): hasher.combine((number + 0.0).storedBits)
        case .decimal(let number): hasher.combine(number.orderedBits)
        default: hasher.combine(value)
        }
    }
}

// MARK: - One NaN

extension Double {
    /// The bits that are stored and sent; the same for all NaNs.
    @inlinable
    package var storedBits: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }
}

extension Float {
    /// The bits that are stored and sent; the same for all NaNs.
    @inlinable
    package var storedBits: UInt32 { isNaN ? Float.nan.bitPattern : bitPattern }
}

extension Value {
    /// The value as it is read back once stored: all NaNs of floats and doubles become one.
    @inlinable
    package var asStored: Value {
        switch self {
        case .float(let number): .float(Float(bitPattern: number.storedBits))
        case .double(let number): .double(Double(bitPattern: number.storedBits))
        default: self
        }
    }
}
