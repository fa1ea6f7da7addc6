package import CausewayModel
package import CausewayOperations
package import CausewayWire

/// The subscriptions of a file, as they are stored in it.
package struct SubscriptionSetRecord: Hashable, Sendable {
    /// Counts the updates; zero before the first.
    package var version: UInt64 = 0
    package var state = State.pending
    package var subscriptions: [SubscriptionRecord] = []

    package init() {}

    package enum State: Hashable, Sendable {
        /// The server has not been told, or has not sent everything yet.
        case pending
        /// Everything the queries match is here.
        case complete
        /// The server refused the set and says why. What was held before stays.
        case error(String)
    }

    /// What the server needs to know: each query once, in a fixed order.
    package var querySet: QuerySet {
        let queries = Set(subscriptions.map { StandingQuery(className: $0.className, predicate: $0.predicate) })
        return QuerySet(
            version: version,
            queries: queries.sorted { ($0.className, $0.predicate) < ($1.className, $1.predicate) })
    }
}

package struct SubscriptionRecord: Hashable, Sendable {
    /// Names the subscription within its file for as long as it exists.
    package var id: UInt64
    package var name: String?
    package var className: String
    /// Canonical text: equal queries have equal text.
    package var predicate: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: UInt64, name: String?, className: String, predicate: String, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.className = className
        self.predicate = predicate
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension SubscriptionRecord {
    /// By bytes: another spelling of a name is another name.
    package func isNamed(_ other: String?) -> Bool {
        name.map { ExactString($0) } == other.map { ExactString($0) }
    }

    /// By bytes: a query for another spelling of a text is another query.
    package static func == (left: SubscriptionRecord, right: SubscriptionRecord) -> Bool {
        left.id == right.id && left.isNamed(right.name) && left.className.isSame(as: right.className)
            && left.predicate.isSame(as: right.predicate) && left.createdAt == right.createdAt
            && left.updatedAt == right.updatedAt
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        predicate.hashBytes(into: &hasher)
    }
}

// MARK: - Bytes
//
//  set           := format(1) version state count subscription*
//  state         := 0 | 1 | 2 text          pending, complete, error
//  subscription  := id hasName [name] class predicate created updated
//  query set     := format(1) version count (class predicate)*
//
// Numbers are varints, texts carry their length, points in time are seconds and nanoseconds (zigzag).

extension SubscriptionSetRecord {
    private static let format: UInt8 = 1

    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.format)
        writer.write(varint: version)
        switch state {
        case .pending: writer.write(byte: 0)
        case .complete: writer.write(byte: 1)
        case .error(let message):
            writer.write(byte: 2)
            writer.write(string: message)
        }
        writer.write(varint: UInt64(subscriptions.count))
        for subscription in subscriptions { subscription.write(to: &writer) }
        return writer.bytes
    }

    package init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        guard try reader.readByte() == Self.format else { throw reader.malformed("a newer form of subscriptions") }
        version = try reader.readVarint()
        switch try reader.readByte() {
        case 0: state = .pending
        case 1: state = .complete
        case 2: state = .error(try reader.readString())
        default: throw reader.malformed("an unknown state of subscriptions")
        }
        let count = try reader.readCount(minimumBytesEach: 8)
        for _ in 0..<count { subscriptions.append(try SubscriptionRecord(from: &reader)) }
        try reader.finish()
    }
}

extension SubscriptionRecord {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(varint: id)
        writer.write(byte: name == nil ? 0 : 1)
        if let name { writer.write(string: name) }
        writer.write(string: className)
        writer.write(string: predicate)
        for time in [createdAt, updatedAt] {
            writer.write(signed: time.seconds)
            writer.write(signed: Int64(time.nanoseconds))
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        id = try reader.readVarint()
        name = try reader.readByte() == 0 ? nil : try reader.readString()
        className = try reader.readString()
        predicate = try reader.readString()
        createdAt = try Self.readTime(from: &reader)
        updatedAt = try Self.readTime(from: &reader)
    }

    private static func readTime(from reader: inout ByteReader) throws(EncodingError) -> Timestamp {
        let seconds = try reader.readSigned()
        return Timestamp(seconds: seconds, nanoseconds: Int32(clamping: try reader.readSigned()))
    }
}

extension QuerySet {
    func encodedForFile() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: 1)
        writer.write(varint: version)
        writer.write(varint: UInt64(queries.count))
        for query in queries {
            writer.write(string: query.className)
            writer.write(string: query.predicate)
        }
        return writer.bytes
    }

    init(encodedForFile bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        guard try reader.readByte() == 1 else { throw reader.malformed("a newer form of a query set") }
        let version = try reader.readVarint()
        var queries: [StandingQuery] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            let className = try reader.readString()
            queries.append(StandingQuery(className: className, predicate: try reader.readString()))
        }
        try reader.finish()
        self.init(version: version, queries: queries)
    }
}
