import CausewayModel
package import CausewayOperations

/// A state of the merge as bytes, alone or among others. The byte tables are in Operations/ENCODING.md.
package protocol EncodedState {
    func write(to writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(EncodingError)
}

extension EncodedState {
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    package init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        try self.init(from: &reader)
        try reader.finish()
    }
}

/// A state of a collection whose bytes begin with a mark. The bytes of a list begin with its number of positions.
package protocol MarkedState: EncodedState {
    /// Greater than the number of positions of any list.
    static var mark: UInt64 { get }
}

extension MarkedState {
    /// Whether the next bytes are a state of this kind.
    package static func isNext(in reader: ByteReader) throws(EncodingError) -> Bool {
        var copy = reader
        return try copy.readVarint() == mark
    }
}

// MARK: - Clients

extension ByteWriter {
    /// Writes the clients that the rest of a state names by number.
    mutating func write(clients: [ClientID]) {
        write(varint: UInt64(clients.count))
        for client in clients { write(fixed64: client.rawValue) }
    }
}

extension ByteReader {
    mutating func readClients() throws(EncodingError) -> [ClientID] {
        var clients: [ClientID] = []
        for _ in 0..<(try readCount(minimumBytesEach: 8)) { clients.append(ClientID(try readFixed64())) }
        return clients
    }
}
