import CausewayModel
import CausewayOperations
import CausewayStore

/// The refusals of one changeset, in few bytes: a million operations may be refused for one reason.
///
/// | Part | |
/// |---|---|
/// | reasons | count; of each: code, sentence |
/// | ranges | count; of each: operations since the range before, operations in it, number of the reason |
/// | objects | a changeset that deletes what each operation was about, in their order: keys in columns. Its base is the version that was made, its stamp the time of receipt; both are zero in records of an earlier build |
struct RefusalRecord {
    private var reasons: [StoreFailure] = []
    private var ranges: [Places] = []
    private let targets: [ObjectReference]
    private let origin: Origin

    /// What was made of the rest of the changeset, and when.
    struct Origin: Hashable {
        var version: ServerVersion
        /// In milliseconds since 1970.
        var received: UInt64
    }

    /// Neighbouring operations that were refused for one reason.
    private struct Places {
        var range: Range<Int>
        var reason: Int
    }

    /// How many different reasons of one changeset are kept. Operations beyond them keep their code and get a sentence
    /// that says so. Nobody reads more, and a sentence is longer than what it is about.
    static let reasonsMax = 100
    /// A sentence quotes what its operation names, which may be long.
    static let sentenceBytesMax = 1_000

    /// - Parameter count: how many operations of the changeset come before these.
    init(_ verdicts: Verdicts, of operations: [Operation], behind count: Int, origin: Origin) {
        self.origin = origin
        targets = Array(verdicts.targets(in: operations))
        var numbers: [StoreFailure: Int] = [:]
        let kept = verdicts.reasons.enumerated().map { index, failure in
            let reason = index < Self.reasonsMax ? failure : StoreFailure(failure.code, Self.sentenceOfTooMany)
            let number = numbers[reason] ?? reasons.count
            if number == reasons.count {
                numbers[reason] = number
                reasons.append(StoreFailure(reason.code, Self.clipped(reason.message)))
            }
            return number
        }
        for (range, reason) in verdicts.ranges {
            let range = count + range.lowerBound..<count + range.upperBound
            if let last = ranges.last, last.reason == kept[reason], last.range.upperBound == range.lowerBound {
                ranges[ranges.count - 1].range = last.range.lowerBound..<range.upperBound
            } else {
                ranges.append(Places(range: range, reason: kept[reason]))
            }
        }
    }

    private static let sentenceOfTooMany =
        "This operation cannot be applied. More than \(reasonsMax) different reasons were found in its transaction; see "
        + "those of the operations before it."

    private static func clipped(_ sentence: String) -> String {
        let text = sentence.utf8
        return text.count <= sentenceBytesMax
            ? sentence : String(decoding: text.prefix(sentenceBytesMax), as: UTF8.self)
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: UInt64(reasons.count))
        for reason in reasons {
            writer.write(string: reason.code.name)
            writer.write(string: reason.message)
        }
        writer.write(varint: UInt64(ranges.count))
        var end = 0
        for places in ranges {
            writer.write(varint: UInt64(places.range.lowerBound - end))
            writer.write(varint: UInt64(places.range.count))
            writer.write(varint: UInt64(places.reason))
            end = places.range.upperBound
        }
        writer.write(
            raw: Changeset.encode([
                Changeset(
                    client: .nobody, sequence: 0,
                    stamp: Stamp(time: min(origin.received, Stamp.wallMillisecondsMax) << 16, client: .nobody),
                    base: origin.version,
                    operations: targets.map { .delete($0, life: 2) })
            ]))
        return writer.bytes
    }

    /// Nil for a record of an earlier build, and for one that cannot be read.
    static func origin(in bytes: [UInt8]) -> Origin? {
        var reader = ByteReader(bytes)
        guard (try? readPlaces(from: &reader)) != nil,
            let changeset = try? Changeset.decode(Array(bytes[reader.offset...])).first, changeset.base != .zero
        else { return nil }
        return Origin(version: changeset.base, received: changeset.stamp.time >> 16)
    }

    /// How many refusals there are, without making any of them.
    static func count(in bytes: [UInt8]) throws(EncodingError) -> Int {
        var reader = ByteReader(bytes)
        return try readPlaces(from: &reader).total
    }

    private static func readPlaces(
        from reader: inout ByteReader
    ) throws(EncodingError) -> (reasons: [StoreFailure], ranges: [Places], total: Int) {
        var reasons: [StoreFailure] = []
        let reasonCount = try reader.readCount(minimumBytesEach: 2)
        for _ in 0..<reasonCount {
            let code = StoreFailure.Code(try reader.readString())
            reasons.append(StoreFailure(code, try reader.readString()))
        }
        var ranges: [Places] = []
        var end = 0
        var total = 0
        let rangeCount = try reader.readCount(minimumBytesEach: 3)
        for _ in 0..<rangeCount {
            let gap = try readNumber(from: &reader)
            let count = try readNumber(from: &reader)
            let reason = try readNumber(from: &reader)
            guard reason < reasons.count else { throw reader.malformed("a refusal has no reason") }
            ranges.append(Places(range: end + gap..<end + gap + count, reason: reason))
            end += gap + count
            total += count
        }
        return (reasons, ranges, total)
    }

    /// - Parameter sequence: the number of the changeset.
    static func refusals(in bytes: [UInt8], of sequence: UInt64) throws(EncodingError) -> [Refusal] {
        var reader = ByteReader(bytes)
        let (reasons, ranges, total) = try readPlaces(from: &reader)
        let deletes = try Changeset.decode(Array(bytes[reader.offset...])).first?.operations ?? []
        guard deletes.count == total else {
            throw reader.malformed("\(total) refusals are of \(deletes.count) objects")
        }
        var refusals: [Refusal] = []
        refusals.reserveCapacity(total)
        for places in ranges {
            for place in places.range {
                refusals.append(
                    Refusal(
                        sequence: sequence, operation: place, target: deletes[refusals.count].target,
                        failure: reasons[places.reason]))
            }
        }
        return refusals
    }

    /// Reads a number that many others can be added to.
    private static func readNumber(from reader: inout ByteReader) throws(EncodingError) -> Int {
        let number = try reader.readVarint()
        guard number <= UInt64(UInt32.max) else { throw reader.malformed("a refusal's number has more than 32 bits") }
        return Int(number)
    }
}
