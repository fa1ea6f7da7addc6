package import CausewayModel

extension ByteWriter {
    /// Writes values without their count, in the shortest form of `ENCODING.md` that fits all of them.
    ///
    /// - Complexity: O(n)
    package mutating func write(column values: [Value]) {
        write(column: SparseColumn(values))
    }

    package mutating func write(column: SparseColumn) {
        if case .nulls = column.present { return write(byte: column.present.form) }
        if let arePresent = column.arePresent {
            write(byte: column.present.form | ValueColumn.Form.someNull)
            write(bits: arePresent)
        } else {
            write(byte: column.present.form)
        }
        writePayload(column.present)
    }

    private mutating func writePayload(_ column: ValueColumn) {
        switch column {
        case .nulls: break
        case .same(let value): write(value)
        case .bools(let values): write(bits: values)
        case .ints(let values), .wholeDoubles(let values): write(integers: values)
        case .floats(let values): for value in values { write(fixed32: value.storedBits) }
        case .doubles(let values): for value in values { write(fixed64: value.storedBits) }
        case .strings(let values): write(strings: values)
        case .dictionary(let values): write(values)
        case .bytes(let values):
            write(integers: values.map { Int64($0.count) })
            for value in values { write(raw: value) }
        case .timestamps(let values): write(timestamps: values)
        case .objectIds(let values): for value in values { write(value) }
        case .uuids(let values): for value in values { write(value) }
        case .links(let keys): write(keys: keys)
        case .mixed(let values): for value in values { write(value) }
        case .decimals(let values): for value in values { write(value) }
        }
    }

    /// Writes keys without their count.
    ///
    /// - Complexity: O(n)
    package mutating func write(keys: [PrimaryKey]) {
        write(keys: KeyColumn(keys))
    }

    package mutating func write(keys column: KeyColumn) {
        switch column {
        case .ints(let values):
            write(byte: KeyColumn.Form.ints)
            write(integers: values)
        case .strings(let values):
            write(byte: KeyColumn.Form.strings)
            write(strings: values)
        case .dictionary(let values):
            write(byte: KeyColumn.Form.dictionary)
            write(values)
        case .objectIds(let values):
            write(byte: KeyColumn.Form.objectIds)
            for value in values { write(value) }
        case .uuids(let values):
            write(byte: KeyColumn.Form.uuids)
            for value in values { write(value) }
        case .containers(let client, let counters):
            write(byte: KeyColumn.Form.containers)
            write(fixed64: client.rawValue)
            write(integers: counters)
        case .mixed(let keys):
            write(byte: KeyColumn.Form.mixed)
            for key in keys { write(key) }
        }
    }
}

// MARK: - Parts of a column

/// The byte before a run of integers.
enum IntegerForm {
    static let plain: UInt8 = 0
    /// Each as its difference from the one before; the first from zero.
    static let deltas: UInt8 = 1
    static let same: UInt8 = 2
}

extension ByteWriter {
    /// Lowest bit first; unused bits are zero.
    package mutating func write(bits: [Bool]) {
        var start = 0
        while start < bits.count {
            var byte: UInt8 = 0
            for offset in start..<min(start + 8, bits.count) where bits[offset] {
                byte |= 1 << UInt8(offset - start)
            }
            write(byte: byte)
            start += 8
        }
    }

    package mutating func write(integers: [Int64]) {
        guard let first = integers.first else { return }
        var previous: Int64 = 0
        var plainSize = 0
        var deltasSize = 0
        var isSame = true
        for value in integers {
            plainSize += sizeBytes(value)
            deltasSize += sizeBytes(value &- previous)
            isSame = isSame && value == first
            previous = value
        }
        if isSame {
            write(byte: IntegerForm.same)
            write(signed: first)
        } else if deltasSize < plainSize {
            write(byte: IntegerForm.deltas)
            reserve(deltasSize)
            previous = 0
            for value in integers {
                write(signed: value &- previous)
                previous = value
            }
        } else {
            write(byte: IntegerForm.plain)
            reserve(plainSize)
            for value in integers { write(signed: value) }
        }
    }

    /// Writes what `write(integers:)` writes for any number of equal integers.
    package mutating func write(same integer: Int64) {
        write(byte: IntegerForm.same)
        write(signed: integer)
    }

    /// The bytes that `write(signed:)` takes.
    private func sizeBytes(_ value: Int64) -> Int {
        let zigzag = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        return (63 - (zigzag | 1).leadingZeroBitCount) / 7 + 1
    }

    fileprivate mutating func write(strings: [String]) {
        write(integers: strings.map { Int64($0.utf8.count) })
        for string in strings { bytes.append(contentsOf: string.utf8) }
    }

    fileprivate mutating func write(_ dictionary: DistinctStrings) {
        write(varint: UInt64(dictionary.distinct.count))
        for string in dictionary.distinct { write(string: string) }
        let isWide = DistinctStrings.isWide(dictionary.distinct.count)
        for index in dictionary.indexes {
            write(byte: UInt8(truncatingIfNeeded: index))
            if isWide { write(byte: UInt8(truncatingIfNeeded: index >> 8)) }
        }
    }

    fileprivate mutating func write(timestamps: [Timestamp]) {
        write(integers: timestamps.map(\.seconds))
        write(integers: timestamps.map { Int64($0.nanoseconds) })
    }
}
