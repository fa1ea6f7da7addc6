/// The free space in the form of a header: the newest changes are in the header itself, older ones in segments, from
/// the oldest to the newest. A segment is a run like any other.
struct FreeSpaceRecord: Sendable, Equatable {
    static let segmentLimit = 12
    /// The least room that a header must have: for the changes that writing a segment makes.
    static let smallestInlineLimit = 512

    var endPage: UInt32
    var inline: [UInt8]
    var segments: [PagePointer]
}

// MARK: - Reading

extension FreeSpace {
    /// - Complexity: O(size of the record + pages of the file / 512).
    convenience init(record: FreeSpaceRecord, space: PageSpace) throws(StorageError) {
        guard record.endPage >= Self.firstPage, record.endPage <= space.pageLimit,
            record.segments.count <= FreeSpaceRecord.segmentLimit,
            let log = SpaceLog(record.inline, pageLimit: space.pageLimit),
            var layer = log.layer(pageLimit: space.pageLimit)
        else { throw space.freeSpaceIsUnsound() }
        // From the newest to the oldest, because older segments are larger.
        for segment in record.segments.reversed() { layer = layer.over(try space.layer(segment)) }
        self.init(endPage: record.endPage, space: space)
        self.log = log
        segments = record.segments
        var free: [PageRun] = []
        for piece in layer.pieces where piece.use != .used {
            guard piece.page >= Self.firstPage, piece.end <= endPage else { throw space.freeSpaceIsUnsound() }
            let run = PageRun(page: piece.page, count: piece.end - piece.page)
            switch piece.use {
            case .used: break
            case .free: free.append(run)
            case .waiting(let birth, let freed): waiting.add(WaitingRun(run: run, birth: birth, freed: freed))
            }
        }
        holes.insert(free)
    }
}

extension PageSpace {
    fileprivate func layer(_ segment: PagePointer) throws(StorageError) -> SpaceLayer {
        guard let bytes = run(segment), let layer = SpaceLayer(bytes, pageLimit: pageLimit) else {
            throw freeSpaceIsUnsound()
        }
        return layer
    }

    fileprivate func freeSpaceIsUnsound() -> StorageError {
        damaged("The list of the file's free pages contradicts itself")
    }
}

// MARK: - Writing

extension FreeSpace {
    /// Puts the transaction's changes into a record. The last step before the header is written: pages that are taken
    /// or freed later are not in the record.
    ///
    /// Changes are added to those in the header as long as they fit. Otherwise all of them go into a new segment,
    /// together with the newest segments up to one that is larger than what was gathered. So each change is rewritten
    /// only as often as the list doubles, and there are few segments. The header then begins with the pages that the
    /// new segment takes and those of the segments that were merged into it.
    /// - Complexity: amortised O(changes × log of the list's size).
    func encode(into output: any PageOutput, inlineLimit: Int) throws(StorageError) -> FreeSpaceRecord {
        precondition(inlineLimit >= FreeSpaceRecord.smallestInlineLimit, "a header has room for the newest changes")
        var log = log
        var segments = segments
        log.append(takeChanges())
        if log.bytes.count > inlineLimit || mustMoveSegments {
            segments = try writeSegment(log, output)
            log = SpaceLog()
            log.append(takeChanges())
        }
        current?.record = (log, segments)
        return FreeSpaceRecord(endPage: endPage, inline: log.bytes, segments: segments)
    }

    private func writeSegment(_ log: SpaceLog, _ output: any PageOutput) throws(StorageError) -> [PagePointer] {
        guard let protected = current?.protected, var layer = log.layer(pageLimit: pageLimit) else {
            preconditionFailure("the log was read or written here")
        }
        var segments = segments
        var gatheredBytes = log.bytes.count
        let mustMove = mustMoveSegments
        while let youngest = segments.last,
            mustMove || segments.count >= FreeSpaceRecord.segmentLimit || Int(youngest.extent) <= gatheredBytes
        {
            layer = layer.over(try output.space.layer(youngest))
            gatheredBytes += Int(youngest.extent)
            output.free(youngest, kind: .run)
            segments.removeLast()
        }
        layer = layer.settled(protected, isLowest: segments.isEmpty)
        guard !layer.pieces.isEmpty else { return segments }
        let encoded = layer.encoded()
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: encoded.count, alignment: 16)
        bytes.copyBytes(from: encoded)
        current?.segmentBytes = bytes
        segments.append(try output.add(run: UnsafeRawBufferPointer(bytes)))
        return segments
    }

    /// Whether a segment must move to a lower page so that the end of the file can be cut.
    private var mustMoveSegments: Bool {
        takesLowest
            && segments.contains { segment in
                holes.lowest(segment.pageCount(.run)).map { $0 < segment.page } ?? false
            }
    }

    private func takeChanges() -> SpaceLog.Changes {
        guard let changes = current?.takeChanges() else { preconditionFailure("changes are recorded in a transaction") }
        return changes
    }
}

extension FreeSpace.Current {
    /// Returns the changes that are not in the record yet, and marks them as recorded.
    fileprivate mutating func takeChanges() -> SpaceLog.Changes {
        freed.joinNeighbours(from: recordedFreed)
        let changes = SpaceLog.Changes(
            transaction: transaction, used: taken[recordedTaken...],
            freed: recordedFreed == 0 ? freed : Array(freed[recordedFreed...]))
        recordedTaken = taken.count
        recordedFreed = freed.count
        return changes
    }
}

extension [(run: PageRun, birth: UInt64)] {
    /// Sorts the elements from an index on, and joins neighbours with the same birth.
    fileprivate mutating func joinNeighbours(from place: Int) {
        self[place...].sort { $0.run.page < $1.run.page }
        var last = place
        for next in indices.dropFirst(place + 1) {
            if self[last].run.end == self[next].run.page, self[last].birth == self[next].birth {
                self[last].run.count += self[next].run.count
            } else {
                last += 1
                self[last] = self[next]
            }
        }
        if last + 1 < count { removeSubrange((last + 1)...) }
    }
}
