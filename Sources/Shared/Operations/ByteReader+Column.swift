package import CausewayModel

extension ByteReader {
    /// Reads what `write(column:)` wrote.
    ///
    /// A column of equal values takes the same few bytes whatever its length. So the caller must have bounded `count`
    /// by the data it reads, as runs of operations do: see "Bounds" in `ENCODING.md`.
    ///
    /// - Complexity: O(count)
    package mutating func readColumn(count: Int) throws(EncodingError) -> [Value] {
        let byte = try readByte()
        let form = byte & ~Column.Form.someNull
        guard byte & Column.Form.someNull != 0 else { return try readColumn(form: form, count: count) }
        let isPresent = try readBits(count: count)
        let presentCount = isPresent.reduce(0) { $0 + ($1 ? 1 : 0) }
        guard presentCount > 0, presentCount < count else { throw malformed("a column's nulls are not what it says") }
        let present = try readColumn(form: form, count: presentCount)
        var values: [Value] = []
        values.reserveCapacity(count)
        var next = 0
        for index in 0..<count {
            if isPresent[index] {
                values.append(present[next])
                next += 1
            } else {
                values.append(.null)
            }
        }
        return values
    }

    private mutating func readColumn(form: UInt8, count: Int) throws(EncodingError) -> [Value] {
        switch form {
        case Column.Form.nulls: return Array(repeating: .null, count: count)
        case Column.Form.same: return Array(repeating: try readValue(), count: count)
        case Column.Form.bools: return try readBits(count: count).map { .bool($0) }
        case Column.Form.ints: return try readIntegers(count: count).map { .int($0) }
        case Column.Form.floats: return try readFloats(count: count)
        case Column.Form.doubles: return try readDoubles(count: count)
        case Column.Form.wholeDoubles: return try readIntegers(count: count).map { .double(Double($0)) }
        case Column.Form.strings: return try readStrings(count: count).map { .string($0) }
        case Column.Form.dictionary: return try readDictionary(count: count) { .string($0) }
        case Column.Form.bytes: return try readByteRuns(count: count)
        case Column.Form.timestamps: return try readTimestamps(count: count)
        case Column.Form.objectIds: return try readObjectIds(count: count).map { .objectId($0) }
        case Column.Form.uuids: return try readUUIDs(count: count).map { .uuid($0) }
        case Column.Form.links: return try readKeys(count: count).map { .link($0) }
        case Column.Form.mixed:
            try require(count, minimumBytesEach: 1)
            var values: [Value] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(try readValue()) }
            return values
        case Column.Form.decimals: return try readDecimals(count: count)
        default: throw malformed("\(form) is no form of a column")
        }
    }

    /// Reads what `write(keys:)` wrote. `count` is to be bounded as for `readColumn`.
    package mutating func readKeys(count: Int) throws(EncodingError) -> [PrimaryKey] {
        let form = try readByte()
        switch form {
        case KeyColumn.Form.ints: return try readIntegers(count: count).map { .int($0) }
        case KeyColumn.Form.strings: return try readStrings(count: count).map { .string($0) }
        case KeyColumn.Form.dictionary: return try readDictionary(count: count) { .string($0) }
        case KeyColumn.Form.objectIds: return try readObjectIds(count: count).map { .objectId($0) }
        case KeyColumn.Form.uuids: return try readUUIDs(count: count).map { .uuid($0) }
        case KeyColumn.Form.containers:
            let client = ClientID(try readFixed64())
            return try readIntegers(count: count).map {
                .container(ElementID(client: client, counter: UInt64(bitPattern: $0)))
            }
        case KeyColumn.Form.mixed:
            try require(count, minimumBytesEach: 1)
            var keys: [PrimaryKey] = []
            keys.reserveCapacity(count)
            for _ in 0..<count { keys.append(try readPrimaryKey()) }
            return keys
        default: throw malformed("\(form) is no form of a column of keys")
        }
    }
}

// MARK: - Parts of a column

extension ByteReader {
    /// Throws before memory is reserved for more than the data can hold.
    private func require(_ count: Int, minimumBytesEach: Int) throws(EncodingError) {
        guard count <= remaining / minimumBytesEach else { throw truncated() }
    }

    /// Reads what `write(bits:)` wrote.
    package mutating func readBits(count: Int) throws(EncodingError) -> [Bool] {
        let sizeBytes = (count + 7) / 8
        guard sizeBytes <= remaining else { throw truncated() }
        let start = position
        var bits: [Bool] = []
        bits.reserveCapacity(count)
        for index in 0..<count {
            bits.append(bytes[start + index / 8] & (1 << UInt8(index % 8)) != 0)
        }
        if count % 8 != 0, bytes[start + sizeBytes - 1] >> UInt8(count % 8) != 0 {
            throw malformed("a bitmap has bits beyond its end")
        }
        position += sizeBytes
        return bits
    }

    package mutating func readIntegers(count: Int) throws(EncodingError) -> [Int64] {
        if count == 0 { return [] }
        let form = try readByte()
        if form == IntegerForm.same { return Array(repeating: try readSigned(), count: count) }
        guard form == IntegerForm.plain || form == IntegerForm.deltas else {
            throw malformed("\(form) is no form of a run of integers")
        }
        try require(count, minimumBytesEach: 1)
        var values: [Int64] = []
        values.reserveCapacity(count)
        var previous: Int64 = 0
        for _ in 0..<count {
            let read = try readSigned()
            let value = form == IntegerForm.deltas ? previous &+ read : read
            values.append(value)
            previous = value
        }
        return values
    }

    private mutating func readFloats(count: Int) throws(EncodingError) -> [Value] {
        try require(count, minimumBytesEach: 4)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(.float(Float(bitPattern: try readFixed32()))) }
        return values
    }

    private mutating func readDoubles(count: Int) throws(EncodingError) -> [Value] {
        try require(count, minimumBytesEach: 8)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(.double(Double(bitPattern: try readFixed64()))) }
        return values
    }

    private mutating func readStrings(count: Int) throws(EncodingError) -> [String] {
        let sizes = try readSizes(count: count)
        var strings: [String] = []
        strings.reserveCapacity(count)
        for size in sizes { strings.append(try readString(sizeBytes: size)) }
        return strings
    }

    private mutating func readByteRuns(count: Int) throws(EncodingError) -> [Value] {
        let sizes = try readSizes(count: count)
        var values: [Value] = []
        values.reserveCapacity(count)
        for size in sizes { values.append(.bytes(try readBytes(count: size))) }
        return values
    }

    private mutating func readSizes(count: Int) throws(EncodingError) -> [Int] {
        let sizes = try readIntegers(count: count)
        var total = 0
        for size in sizes {
            guard size >= 0, size <= Int64(remaining - total) else { throw truncated() }
            total += Int(size)
        }
        return sizes.map { Int($0) }
    }

    /// The strings are made once and shared by all who hold them.
    private mutating func readDictionary<Element>(
        count: Int, _ element: (String) -> Element
    ) throws(EncodingError) -> [Element] {
        let distinctCount = try readCount(minimumBytesEach: 1)
        guard distinctCount <= StringDictionary.distinctMax else { throw malformed("a dictionary is too long") }
        var distinct: [Element] = []
        distinct.reserveCapacity(distinctCount)
        for _ in 0..<distinctCount { distinct.append(element(try readString())) }
        let isWide = StringDictionary.isWide(distinctCount)
        try require(count, minimumBytesEach: isWide ? 2 : 1)
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            var index = Int(try readByte())
            if isWide { index |= Int(try readByte()) << 8 }
            guard index < distinctCount else { throw malformed("a string's number is not in the dictionary") }
            elements.append(distinct[index])
        }
        return elements
    }

    private mutating func readTimestamps(count: Int) throws(EncodingError) -> [Value] {
        let seconds = try readIntegers(count: count)
        let nanoseconds = try readIntegers(count: count)
        var values: [Value] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            values.append(.timestamp(try timestamp(seconds: seconds[index], nanoseconds: nanoseconds[index])))
        }
        return values
    }

    private mutating func readObjectIds(count: Int) throws(EncodingError) -> [ObjectIdentifier12] {
        try require(count, minimumBytesEach: 12)
        var ids: [ObjectIdentifier12] = []
        ids.reserveCapacity(count)
        for _ in 0..<count { ids.append(try readObjectId()) }
        return ids
    }

    private mutating func readDecimals(count: Int) throws(EncodingError) -> [Value] {
        try require(count, minimumBytesEach: 16)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(.decimal(try readDecimal())) }
        return values
    }

    private mutating func readUUIDs(count: Int) throws(EncodingError) -> [UUID16] {
        try require(count, minimumBytesEach: 16)
        var ids: [UUID16] = []
        ids.reserveCapacity(count)
        for _ in 0..<count { ids.append(try readUUID()) }
        return ids
    }
}
