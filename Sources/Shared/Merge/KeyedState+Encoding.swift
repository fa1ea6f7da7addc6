import CausewayModel
package import CausewayOperations

// The byte table is in Operations/ENCODING.md, "State of a set or map".

extension KeyedState: MarkedState {
    package static let mark = UInt64(UInt32.max)

    /// - Complexity: O(n)
    package func write(to writer: inout ByteWriter) {
        writer.write(varint: Self.mark)
        writer.write(varint: UInt64(entries.count))
        if entries.isEmpty { return }
        var clients: [ClientID] = []
        var numbers: [ClientID: Int64] = [:]
        for entry in entries where numbers[entry.stamp.client] == nil {
            numbers[entry.stamp.client] = Int64(clients.count)
            clients.append(entry.stamp.client)
        }
        writer.write(clients: clients)
        writer.write(bits: entries.map { $0.value != nil })
        writer.write(column: entries.map(\.key))
        writer.write(column: entries.compactMap(\.value))
        writer.write(integers: entries.map { Int64(bitPattern: $0.stamp.time) })
        writer.write(integers: entries.map { numbers[$0.stamp.client] ?? 0 })
    }

    /// - Complexity: O(n), in memory too: keys differ, so each entry takes at least one byte of input.
    package init(from reader: inout ByteReader) throws(EncodingError) {
        guard try reader.readVarint() == Self.mark else { throw reader.malformed("no set or map is here") }
        let count = try reader.readCount(minimumBytesEach: 1)
        if count == 0 {
            self.init()
            return
        }
        let clients = try reader.readClients()
        let arePresent = try reader.readBits(count: count)
        let keys = try reader.readColumn(count: count)
        guard zip(keys, keys.dropFirst()).allSatisfy({ Value.canonicallyPrecedes($0, $1) }) else {
            throw reader.malformed("the keys of a set or map are not in order")
        }
        var values = try reader.readColumn(count: arePresent.count { $0 }).makeIterator()
        let times = try reader.readIntegers(count: count)
        let writers = try reader.readIntegers(count: count)
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            guard let writer = Int(exactly: writers[index]), clients.indices.contains(writer) else {
                throw reader.malformed("a set or map names a client that it does not list")
            }
            entries.append(
                Entry(
                    key: keys[index], value: arePresent[index] ? values.next() : nil,
                    stamp: Stamp(time: UInt64(bitPattern: times[index]), client: clients[writer])))
        }
        self.init(ascending: entries)
    }
}
