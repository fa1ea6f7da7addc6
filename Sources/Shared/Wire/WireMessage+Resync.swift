import CausewayMerge
import CausewayModel
import CausewayOperations
import SwiftProtobuf

// The bodies of a resync. PROTOCOL.md, "Resync", has the byte tables.

extension DigestQuestion {
    var body: [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.format)
        var names: [String] = []
        var numbers: ExactDictionary<Int> = [:]
        for ask in asks where numbers[ask.range.className] == nil {
            numbers[ask.range.className] = names.count
            names.append(ask.range.className)
        }
        writer.write(varint: UInt64(names.count))
        for name in names { writer.write(string: name) }
        writer.write(varint: UInt64(asks.count))
        for ask in asks {
            writer.write(varint: UInt64(numbers[ask.range.className] ?? 0))
            writer.write(byte: ask.detail.rawValue)
            writer.write(byte: ask.range.bits)
            writer.write(varint: ask.range.prefix)
        }
        return writer.bytes
    }

    init(_ envelope: EnvelopeDigestsWanted, body: [UInt8]) throws(SyncFailure) {
        self.init(
            number: envelope.number, seed: envelope.seed, acknowledged: envelope.acknowledged,
            asks: try SyncFailure.reading { () throws(EncodingError) in try Self.asks(body) })
    }

    private static let format: UInt8 = 1

    private static func asks(_ body: [UInt8]) throws(EncodingError) -> [DigestAsk] {
        var reader = ByteReader(body)
        guard try reader.readByte() == format else { throw reader.malformed("ranges of another format") }
        var names: [String] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 1)) { names.append(try reader.readString()) }
        let count = try reader.readCount(minimumBytesEach: 4)
        guard names.count <= Bounds.classes, count <= Bounds.digestAsks else {
            throw reader.malformed("more ranges than one message may ask for")
        }
        var asks: [DigestAsk] = []
        for _ in 0..<count {
            let name = try reader.readVarint()
            guard name < UInt64(names.count), let detail = DigestAsk.Detail(rawValue: try reader.readByte()),
                let range = DigestRange(
                    names[Int(name)], bits: try reader.readByte(), prefix: try reader.readVarint())
            else { throw reader.malformed("a range of digests") }
            asks.append(DigestAsk(range, detail))
        }
        try reader.finish()
        return asks
    }
}

extension ResyncRequest: WireMessage {
    package var payload: [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.format)
        writer.write(varint: UInt64(reports.count))
        for report in reports { Self.write(report, to: &writer) }
        return Payload.encode(
            EnvelopeResyncRequest.with {
                $0.session = session
                $0.number = number
            }, body: writer.bytes)
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let payload = try Payload(payload)
        let envelope = try payload.envelope(EnvelopeResyncRequest.self)
        let body = payload.body
        self.init(
            session: envelope.session, number: envelope.number,
            reports: try SyncFailure.reading { () throws(EncodingError) in try Self.reports(body) })
    }

    private static let format: UInt8 = 1

    private enum Kind {
        static let whole: UInt8 = 0
        static let parts: UInt8 = 1
        static let objects: UInt8 = 2
    }

    private static func write(_ report: DigestReport, to writer: inout ByteWriter) {
        switch report {
        case .whole(let digest):
            writer.write(byte: Kind.whole)
            write(digest, to: &writer)
        case .parts(let digests):
            writer.write(byte: Kind.parts)
            writer.write(varint: UInt64(digests.count))
            for digest in digests { write(digest, to: &writer) }
        case .objects(let objects):
            writer.write(byte: Kind.objects)
            writer.write(varint: UInt64(objects.count))
            writer.write(keys: objects.map(\.key))
            for object in objects { write(object.digest, to: &writer) }
        }
    }

    private static func write(_ range: RangeDigest, to writer: inout ByteWriter) {
        writer.write(varint: range.count)
        if range.count > 0 { write(range.sum, to: &writer) }
    }

    private static func write(_ digest: Digest, to writer: inout ByteWriter) {
        writer.write(fixed64: digest.low)
        writer.write(fixed64: digest.high)
    }

    private static func reports(_ body: [UInt8]) throws(EncodingError) -> [DigestReport] {
        var reader = ByteReader(body)
        guard try reader.readByte() == format else { throw reader.malformed("digests of another format") }
        let count = try reader.readCount(minimumBytesEach: 2)
        guard count <= Bounds.digestAsks else { throw reader.malformed("more ranges than one message may ask for") }
        var digests = 0
        var reports: [DigestReport] = []
        for _ in 0..<count {
            let report = try readReport(&reader)
            switch report {
            case .whole: digests += 1
            case .parts(let parts): digests += parts.count
            case .objects(let objects): digests += objects.count
            }
            guard digests <= Bounds.digests else { throw reader.malformed("more digests than one message may hold") }
            reports.append(report)
        }
        try reader.finish()
        return reports
    }

    private static func readReport(_ reader: inout ByteReader) throws(EncodingError) -> DigestReport {
        switch try reader.readByte() {
        case Kind.whole:
            return .whole(try readRange(&reader))
        case Kind.parts:
            let count = try reader.readCount(minimumBytesEach: 1)
            guard count <= DigestRange.partsCount else { throw reader.malformed("a range in too many parts") }
            var digests: [RangeDigest] = []
            for _ in 0..<count { digests.append(try readRange(&reader)) }
            return .parts(digests)
        case Kind.objects:
            // Each key is followed by a digest of 16 bytes, which bounds the number of keys.
            let count = try reader.readCount(minimumBytesEach: 16)
            guard count <= Bounds.digests else { throw reader.malformed("more digests than one message may hold") }
            let keys = try reader.readKeys(count: count)
            var objects: [ObjectDigest] = []
            for key in keys { objects.append(ObjectDigest(key, try readDigest(&reader))) }
            return .objects(objects)
        default:
            throw reader.malformed("digests of an unknown kind")
        }
    }

    private static func readRange(_ reader: inout ByteReader) throws(EncodingError) -> RangeDigest {
        let count = try reader.readVarint()
        return RangeDigest(count: count, sum: count > 0 ? try readDigest(&reader) : .zero)
    }

    private static func readDigest(_ reader: inout ByteReader) throws(EncodingError) -> Digest {
        Digest(low: try reader.readFixed64(), high: try reader.readFixed64())
    }
}

extension SyncFailure {
    fileprivate static func reading<R>(_ body: () throws(EncodingError) -> R) throws(SyncFailure) -> R {
        do {
            return try body()
        } catch {
            throw .malformed("\(error)")
        }
    }
}
