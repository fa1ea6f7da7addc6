package import CausewayModel

extension ByteReader {
    /// Reads what `write(column:)` wrote.
    ///
    /// A column of equal values takes the same few bytes whatever its length. So the caller must have bounded `count`
    /// by the data it reads, as runs of operations do: see "Bounds" in `ENCODING.md`.
    ///
    /// - Complexity: O(count)
    package mutating func readColumn(count: Int) throws(EncodingError) -> [Value] {
        try readSparseColumn(count: count).values
    }

    /// The same, in the form in which it was written.
    package mutating func readSparseColumn(count: Int) throws(EncodingError) -> SparseColumn {
        let byte = try readByte()
        let form = byte & ~ValueColumn.Form.someNull
        guard byte & ValueColumn.Form.someNull != 0 else {
            return SparseColumn(try readColumn(form: form, count: count), count: count)
        }
        let arePresent = try readBits(count: count)
        let presentCount = arePresent.count { $0 }
        guard presentCount > 0, presentCount < count else { throw malformed("a column's nulls are not what it says") }
        return SparseColumn(try readColumn(form: form, count: presentCount), arePresent: arePresent)
    }

    private mutating func readColumn(form: UInt8, count: Int) throws(EncodingError) -> ValueColumn {
        switch form {
        case ValueColumn.Form.nulls: return .nulls
        case ValueColumn.Form.same: return .same(try readValue())
        case ValueColumn.Form.bools: return .bools(try readBits(count: count))
        case ValueColumn.Form.ints: return .ints(try readIntegers(count: count))
        case ValueColumn.Form.floats: return .floats(try readFloats(count: count))
        case ValueColumn.Form.doubles: return .doubles(try readDoubles(count: count))
        case ValueColumn.Form.wholeDoubles: return .wholeDoubles(try readIntegers(count: count))
        case ValueColumn.Form.strings: return .strings(try readStrings(count: count))
        case ValueColumn.Form.dictionary: return .dictionary(try readDictionary(count: count))
        case ValueColumn.Form.bytes: return .bytes(try readByteRuns(count: count))
        case ValueColumn.Form.timestamps: return .timestamps(try readTimestamps(count: count))
        case ValueColumn.Form.objectIds: return .objectIds(try readObjectIds(count: count))
        case ValueColumn.Form.uuids: return .uuids(try readUUIDs(count: count))
        case ValueColumn.Form.links: return .links(try readKeyColumn(count: count))
        case ValueColumn.Form.mixed:
            try require(count, minimumBytesEach: 1)
            var values: [Value] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(try readValue()) }
            return .mixed(values)
        case ValueColumn.Form.decimals: return .decimals(try readDecimals(count: count))
        default: throw malformed("\(form) is no form of a column")
        }
    }

    /// Reads what `write(keys:)` wrote. `count` is to be bounded as for `readColumn`.
    package mutating func readKeys(count: Int) throws(EncodingError) -> [PrimaryKey] {
        try readKeyColumn(count: count).keys
    }

    /// The same, in the form in which it was written.
    package mutating func readKeyColumn(count: Int) throws(EncodingError) -> KeyColumn {
        let form = try readByte()
        switch form {
        case KeyColumn.Form.ints: return .ints(try readIntegers(count: count))
        case KeyColumn.Form.strings: return .strings(try readStrings(count: count))
        case KeyColumn.Form.dictionary: return .dictionary(try readDictionary(count: count))
        case KeyColumn.Form.objectIds: return .objectIds(try readObjectIds(count: count))
        case KeyColumn.Form.uuids: return .uuids(try readUUIDs(count: count))
        case KeyColumn.Form.containers:
            let client = ClientID(try readFixed64())
            return .containers(client, counters: try readIntegers(count: count))
        case KeyColumn.Form.mixed:
            try require(count, minimumBytesEach: 1)
            var keys: [PrimaryKey] = []
            keys.reserveCapacity(count)
            for _ in 0..<count { keys.append(try readPrimaryKey()) }
            return .mixed(keys)
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

    private mutating func readFloats(count: Int) throws(EncodingError) -> [Float] {
        try require(count, minimumBytesEach: 4)
        var values: [Float] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(Float(bitPattern: try readFixed32())) }
        return values
    }

    private mutating func readDoubles(count: Int) throws(EncodingError) -> [Double] {
        try require(count, minimumBytesEach: 8)
        var values: [Double] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(Double(bitPattern: try readFixed64())) }
        return values
    }

    private mutating func readStrings(count: Int) throws(EncodingError) -> [String] {
        let sizes = try readSizes(count: count)
        var strings: [String] = []
        strings.reserveCapacity(count)
        for size in sizes { strings.append(try readString(sizeBytes: size)) }
        return strings
    }

    private mutating func readByteRuns(count: Int) throws(EncodingError) -> [[UInt8]] {
        let sizes = try readSizes(count: count)
        var values: [[UInt8]] = []
        values.reserveCapacity(count)
        for size in sizes { values.append(try readBytes(count: size)) }
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

    private mutating func readDictionary(count: Int) throws(EncodingError) -> DistinctStrings {
        let distinctCount = try readCount(minimumBytesEach: 1)
        guard distinctCount <= DistinctStrings.distinctMax else { throw malformed("a dictionary is too long") }
        var distinct: [String] = []
        distinct.reserveCapacity(distinctCount)
        for _ in 0..<distinctCount { distinct.append(try readString()) }
        let isWide = DistinctStrings.isWide(distinctCount)
        try require(count, minimumBytesEach: isWide ? 2 : 1)
        var indexes: [UInt16] = []
        indexes.reserveCapacity(count)
        for _ in 0..<count {
            var index = UInt16(try readByte())
            if isWide { index |= UInt16(try readByte()) << 8 }
            guard Int(index) < distinctCount else { throw malformed("a string's number is not in the dictionary") }
            indexes.append(index)
        }
        return DistinctStrings(distinct: distinct, indexes: indexes)
    }

    private mutating func readTimestamps(count: Int) throws(EncodingError) -> [Timestamp] {
        let seconds = try readIntegers(count: count)
        let nanoseconds = try readIntegers(count: count)
        var values: [Timestamp] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            values.append(try timestamp(seconds: seconds[index], nanoseconds: nanoseconds[index]))
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

    private mutating func readDecimals(count: Int) throws(EncodingError) -> [DecimalNumber] {
        try require(count, minimumBytesEach: 16)
        var values: [DecimalNumber] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try readDecimal()) }
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
