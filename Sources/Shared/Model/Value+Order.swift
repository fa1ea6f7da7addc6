extension Value {
    /// The order of the elements of sets, stored and sent: kinds one after the other, numbers of a kind by size with
    /// NaN first, texts and data byte by byte, links by what they name. It means nothing to an app.
    ///
    /// Values of which neither precedes the other are the same element (`SetElement`): 0 and −0, any two NaNs, and
    /// decimals that are written with more or fewer zeros.
    package static func canonicallyPrecedes(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.int(let left), .int(let right)): left < right
        case (.float(let left), .float(let right)): left < right || (left.isNaN && !right.isNaN)
        case (.double(let left), .double(let right)): left < right || (left.isNaN && !right.isNaN)
        case (.decimal(let left), .decimal(let right)): left < right || (left.isNaN && !right.isNaN)
        case (.string(let left), .string(let right)): left.precedes(right)
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.timestamp(let left), .timestamp(let right)): left < right
        case (.objectId(let left), .objectId(let right)): left < right
        case (.uuid(let left), .uuid(let right)): left < right
        case (.object(let left), .object(let right)): left < right
        case (.link(let left), .link(let right)): left < right
        case (.anyObject(let left), .anyObject(let right)):
            (left.classNumber, left.key) < (right.classNumber, right.key)
        case (.anyLink(let left), .anyLink(let right)):
            left.className.precedes(right.className)
                || left.className.isSame(as: right.className) && left.key < right.key
        default: left.canonicalRank < right.canonicalRank
        }
    }

    var canonicalRank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .float: 3
        case .double: 4
        case .decimal: 5
        case .string: 6
        case .bytes: 7
        case .timestamp: 8
        case .objectId: 9
        case .uuid: 10
        case .object: 11
        case .link: 12
        case .anyObject: 13
        case .anyLink: 14
        }
    }
}

extension Value {
    /// Where a key stands among `count` keys in canonical order, or where it belongs.
    ///
    /// - Complexity: O(log n)
    package static func canonicalPlace(
        of key: Value, count: Int, keyAt: (Int) -> Value
    ) -> (index: Int, isThere: Bool) {
        let index = (0..<count).partitioningIndex { !canonicallyPrecedes(keyAt($0), key) }
        return (index, index < count && !canonicallyPrecedes(key, keyAt(index)))
    }
}
