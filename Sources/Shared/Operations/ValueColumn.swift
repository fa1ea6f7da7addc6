package import CausewayModel

/// The values of one property for many objects, in the shortest form that fits all of them.
///
/// Nulls are not in it: the bitmap before it says where they are.
package enum ValueColumn: Hashable, Sendable {
    case nulls
    case same(Value)
    case bools([Bool])
    case ints([Int64])
    case floats([Float])
    case doubles([Double])
    /// Doubles that are whole numbers, which most are.
    case wholeDoubles([Int64])
    case strings([String])
    case dictionary(DistinctStrings)
    case bytes([[UInt8]])
    case timestamps([Timestamp])
    case objectIds([ObjectIdentifier12])
    case uuids([UUID16])
    case links(KeyColumn)
    case mixed([Value])
    case decimals([DecimalNumber])

    package init(_ present: [Value]) {
        guard let first = present.first else {
            self = .nulls
            return
        }
        if present.allSatisfy({ $0 == first }) {
            self = .same(first)
            return
        }
        self = ValueColumn(present, like: first) ?? .mixed(present)
    }

    private init?(_ present: [Value], like first: Value) {
        switch first {
        case .null, .object, .anyObject, .anyLink:
            return nil
        case .bool:
            guard let all = extract(present, { if case .bool(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = .bools(all)
        case .int:
            guard let all = extract(present, { if case .int(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = .ints(all)
        case .float:
            guard let all = extract(present, { if case .float(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = .floats(all)
        case .double:
            guard let all = extract(present, { if case .double(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = ValueColumn(doubles: all)
        case .string:
            guard let all = extract(present, { if case .string(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = DistinctStrings(all).map(ValueColumn.dictionary) ?? .strings(all)
        case .bytes:
            guard let all = extract(present, { if case .bytes(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = .bytes(all)
        case .timestamp:
            guard let all = extract(present, { if case .timestamp(let value) = $0 { value } else { nil } })
            else { return nil }
            self = .timestamps(all)
        case .objectId:
            guard let all = extract(present, { if case .objectId(let value) = $0 { value } else { nil } })
            else { return nil }
            self = .objectIds(all)
        case .uuid:
            guard let all = extract(present, { if case .uuid(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = .uuids(all)
        case .link:
            guard let all = extract(present, { if case .link(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = .links(KeyColumn(all))
        case .decimal:
            guard let all = extract(present, { if case .decimal(let value) = $0 { value } else { nil } })
            else { return nil }
            self = .decimals(all)
        }
    }

    package init(doubles: [Double]) {
        self = extract(doubles, wholeNumber).map(ValueColumn.wholeDoubles) ?? .doubles(doubles)
    }

    /// The byte that names the form.
    var form: UInt8 {
        switch self {
        case .nulls: Form.nulls
        case .same: Form.same
        case .bools: Form.bools
        case .ints: Form.ints
        case .floats: Form.floats
        case .doubles: Form.doubles
        case .wholeDoubles: Form.wholeDoubles
        case .strings: Form.strings
        case .dictionary: Form.dictionary
        case .bytes: Form.bytes
        case .timestamps: Form.timestamps
        case .objectIds: Form.objectIds
        case .uuids: Form.uuids
        case .links: Form.links
        case .mixed: Form.mixed
        case .decimals: Form.decimals
        }
    }

    enum Form {
        static let nulls: UInt8 = 0
        static let same: UInt8 = 1
        static let bools: UInt8 = 2
        static let ints: UInt8 = 3
        static let floats: UInt8 = 4
        static let doubles: UInt8 = 5
        static let wholeDoubles: UInt8 = 6
        static let strings: UInt8 = 7
        static let dictionary: UInt8 = 8
        static let bytes: UInt8 = 9
        static let timestamps: UInt8 = 10
        static let objectIds: UInt8 = 11
        static let uuids: UInt8 = 12
        static let links: UInt8 = 13
        static let mixed: UInt8 = 14
        static let decimals: UInt8 = 15
        /// Added to the form when some values are null: a bitmap of those that are not comes first.
        static let someNull: UInt8 = 0x80
    }
}

/// The keys of many objects of one class.
package enum KeyColumn: Hashable, Sendable {
    case ints([Int64])
    case strings([String])
    case dictionary(DistinctStrings)
    case objectIds([ObjectIdentifier12])
    case uuids([UUID16])
    case containers(ClientID, counters: [Int64])
    case mixed([PrimaryKey])

    package init(_ keys: [PrimaryKey]) {
        self = KeyColumn(keys, like: keys.first ?? .null) ?? .mixed(keys)
    }

    private init?(_ keys: [PrimaryKey], like first: PrimaryKey) {
        switch first {
        case .null:
            return nil
        case .int:
            guard let all = extract(keys, { if case .int(let value) = $0 { value } else { nil } }) else { return nil }
            self = .ints(all)
        case .string:
            guard let all = extract(keys, { if case .string(let value) = $0 { value } else { nil } }) else {
                return nil
            }
            self = DistinctStrings(all).map(KeyColumn.dictionary) ?? .strings(all)
        case .objectId:
            guard let all = extract(keys, { if case .objectId(let value) = $0 { value } else { nil } })
            else { return nil }
            self = .objectIds(all)
        case .uuid:
            guard let all = extract(keys, { if case .uuid(let value) = $0 { value } else { nil } }) else { return nil }
            self = .uuids(all)
        case .container(let one):
            let counters = extract(keys) { key -> Int64? in
                guard case .container(let id) = key, id.client == one.client else { return nil }
                return Int64(bitPattern: id.counter)
            }
            guard let counters else { return nil }
            self = .containers(one.client, counters: counters)
        }
    }

    enum Form {
        static let ints: UInt8 = 0
        static let strings: UInt8 = 1
        static let dictionary: UInt8 = 2
        static let objectIds: UInt8 = 3
        static let uuids: UInt8 = 4
        static let containers: UInt8 = 5
        static let mixed: UInt8 = 6
    }
}

/// Strings of which few are distinct: each distinct one once, and an index for each string.
package struct DistinctStrings: Hashable, Sendable {
    package var distinct: [String]
    package var indexes: [UInt16]

    package static let distinctMax = 1 << 16

    /// - Precondition: every index is one of the distinct strings'.
    package init(distinct: [String], indexes: [UInt16]) {
        self.distinct = distinct
        self.indexes = indexes
    }

    /// Nil if it would not pay: more than half of the strings are distinct, or they are too few to tell.
    init?(_ strings: [String]) {
        guard strings.count >= 4 else { return nil }
        var known: ExactDictionary<UInt16> = [:]
        distinct = []
        indexes = []
        indexes.reserveCapacity(strings.count)
        let distinctMost = min(strings.count / 2, DistinctStrings.distinctMax)
        for (offset, string) in strings.enumerated() {
            if let index = known[string] {
                indexes.append(index)
                continue
            }
            // After 512 strings it shows whether they repeat. Keys do not, and should not pay for a long try.
            guard distinct.count < distinctMost, offset < 512 || distinct.count < offset / 4 * 3 else { return nil }
            known[string] = UInt16(distinct.count)
            indexes.append(UInt16(distinct.count))
            distinct.append(string)
        }
    }

    /// Whether an index takes two bytes, not one.
    static func isWide(_ count: Int) -> Bool {
        count > 256
    }
}

// MARK: - One by one

extension ValueColumn {
    /// The values, of which there are `count`: forms of equal ones do not say how many.
    package func values(count: Int) -> [Value] {
        switch self {
        case .nulls: Array(repeating: .null, count: count)
        case .same(let value): Array(repeating: value, count: count)
        case .bools(let values): values.map { .bool($0) }
        case .ints(let values): values.map { .int($0) }
        case .floats(let values): values.map { .float($0) }
        case .doubles(let values): values.map { .double($0) }
        case .wholeDoubles(let values): values.map { .double(Double($0)) }
        case .strings(let values): values.map { .string($0) }
        case .dictionary(let values): values.map { .string($0) }
        case .bytes(let values): values.map { .bytes($0) }
        case .timestamps(let values): values.map { .timestamp($0) }
        case .objectIds(let values): values.map { .objectId($0) }
        case .uuids(let values): values.map { .uuid($0) }
        case .links(let keys): keys.keys.map { .link($0) }
        case .mixed(let values): values
        case .decimals(let values): values.map { .decimal($0) }
        }
    }
}

extension KeyColumn {
    package var count: Int {
        switch self {
        case .ints(let values): values.count
        case .strings(let values): values.count
        case .dictionary(let values): values.indexes.count
        case .objectIds(let values): values.count
        case .uuids(let values): values.count
        case .containers(_, let counters): counters.count
        case .mixed(let keys): keys.count
        }
    }

    package var keys: [PrimaryKey] {
        switch self {
        case .ints(let values): values.map { .int($0) }
        case .strings(let values): values.map { .string($0) }
        case .dictionary(let values): values.map { .string($0) }
        case .objectIds(let values): values.map { .objectId($0) }
        case .uuids(let values): values.map { .uuid($0) }
        case .containers(let client, let counters):
            counters.map { .container(ElementID(client: client, counter: UInt64(bitPattern: $0))) }
        case .mixed(let keys): keys
        }
    }
}

extension DistinctStrings {
    /// Maps each distinct string once; equal strings share the result.
    func map<Element>(_ element: (String) -> Element) -> [Element] {
        let elements = distinct.map(element)
        return indexes.map { elements[Int($0)] }
    }
}

// MARK: - Telling forms apart

/// The parts of all values; nil if one of them is of another kind.
@inline(__always)
private func extract<Whole, Part>(_ values: [Whole], _ part: (Whole) -> Part?) -> [Part]? {
    var parts: [Part] = []
    parts.reserveCapacity(values.count)
    for value in values {
        guard let one = part(value) else { return nil }
        parts.append(one)
    }
    return parts
}

/// The double as an integer that gives back the same bits; nil for fractions, -0, infinities and what is too large.
private func wholeNumber(_ value: Double) -> Int64? {
    guard value.magnitude < 0x1p63 else { return nil }
    let whole = Int64(value)
    return Double(whole).bitPattern == value.bitPattern ? whole : nil
}
