import CausewayModel
package import CausewayOperations
package import CausewayWire

/// Where the server can resume a view change that has not come whole. The file keeps it beside the parts.
///
/// Nothing of the change is visible. The parts up to a segment's end lead to the segment's checkpoint. Each session
/// that resumes where an earlier one was cut adds a segment, unless the server's database has stood still. When the
/// last part is there, the segments are applied one after the other in one transaction.
///
/// Parts after the last resume point are not counted: the server sends them again.
package struct StagedChange: Hashable, Sendable {
    package private(set) var segments: [Segment] = []
    package private(set) var reached: RowPosition
    /// The objects in all segments, and with those that were still to come, as the last resume point said.
    package private(set) var objectsDone: UInt64 = 0
    package private(set) var objectsTotal: UInt64 = 0

    package struct Segment: Hashable, Sendable {
        /// The number of the part after it.
        package var end: Int
        package var checkpoint: Checkpoint

        package init(end: Int, checkpoint: Checkpoint) {
            self.end = end
            self.checkpoint = checkpoint
        }
    }

    /// The most segments. A change that is cut more often resumes at the last kept point.
    package static let segmentsMax = 1_000
    /// The most bytes of the texts of the queries in a hello.
    package static let queriesBytesMax = 128 << 10

    /// The number of parts up to the last resume point.
    package var parts: Int { segments.last?.end ?? 0 }

    /// The staged change with one more part.
    package static func adding(_ part: ViewChunk, number: Int, to staged: StagedChange?) -> StagedChange? {
        guard let point = part.resume else { return staged }
        var known = staged ?? StagedChange(reached: point.reached)
        if known.segments.last?.checkpoint == point.checkpoint {
            known.segments[known.segments.count - 1].end = number + 1
        } else {
            guard known.segments.count < segmentsMax else { return staged }
            known.segments.append(Segment(end: number + 1, checkpoint: point.checkpoint))
        }
        known.reached = point.reached
        known.objectsDone = part.objectsDone
        known.objectsTotal = part.objectsTotal
        return known
    }

    private init(reached: RowPosition) {
        self.reached = reached
    }

    /// The segments that are applied by themselves, before the parts that lead to the change's own checkpoint.
    package func segments(before change: ViewChange) -> [Segment] {
        segments.filter { segment in
            segment.end <= change.partsSpilled && segment.checkpoint != change.checkpoint
        }
    }

    /// What a hello says of it; nil if the server could not resume it.
    ///
    /// - Parameter queries: returns the queries of a version of the query set.
    package func view(_ queries: (UInt64) throws -> QuerySet) rethrows -> StagedView? {
        guard let checkpoint = segments.last?.checkpoint else { return nil }
        let queries = try queries(checkpoint.querySet)
        let bytes = queries.queries.reduce(0) { $0 + $1.className.utf8.count + $1.predicate.utf8.count }
        guard !queries.queries.isEmpty, bytes <= Self.queriesBytesMax else { return nil }
        return StagedView(point: ResumePoint(checkpoint: checkpoint, reached: reached), queries: queries)
    }
}

// MARK: - Bytes
//
//  staged     := format(2) count segment* class row done total
//  segment    := end version querySet acknowledged epoch incarnation permissions schema opening
//
// Numbers are varints, but for the epoch, the incarnation, the two fingerprints and the opening (eight bytes); the row
// is zigzag. Format 1 lacks the opening.

extension StagedChange {
    private static let formats: ClosedRange<UInt8> = 1...2

    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.formats.upperBound)
        writer.write(varint: UInt64(segments.count))
        for segment in segments {
            let checkpoint = segment.checkpoint
            for number in [
                UInt64(segment.end), checkpoint.version.rawValue, checkpoint.querySet, checkpoint.acknowledged,
            ] {
                writer.write(varint: number)
            }
            for number in [
                checkpoint.epoch, checkpoint.incarnation, checkpoint.permissions, checkpoint.schema, checkpoint.opening,
            ] {
                writer.write(fixed64: number)
            }
        }
        writer.write(string: reached.className)
        writer.write(signed: reached.row.rawValue)
        writer.write(varint: objectsDone)
        writer.write(varint: objectsTotal)
        return writer.bytes
    }

    package init(encoded bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        let format = try reader.readByte()
        guard Self.formats.contains(format) else { throw reader.malformed("a newer form of a staged change") }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 36)) {
            let end = Int(clamping: try reader.readVarint())
            let version = ServerVersion(try reader.readVarint())
            let (querySet, acknowledged) = (try reader.readVarint(), try reader.readVarint())
            let epoch = try reader.readFixed64()
            segments.append(
                Segment(
                    end: end,
                    checkpoint: Checkpoint(
                        epoch: epoch, version: version, querySet: querySet, acknowledged: acknowledged,
                        incarnation: try reader.readFixed64(), permissions: try reader.readFixed64(),
                        schema: try reader.readFixed64(), opening: format >= 2 ? try reader.readFixed64() : 0)))
        }
        reached = RowPosition(className: try reader.readString(), row: ObjectKey(try reader.readSigned()))
        objectsDone = try reader.readVarint()
        objectsTotal = try reader.readVarint()
        try reader.finish()
    }
}
