import CausewayJournal
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayWire

/// Valid inputs of every target, drawn from a seed.
struct FuzzSeeds {
    var numbers: SeededNumbers

    mutating func input(for target: FuzzTarget) -> [UInt8] {
        switch target {
        case .stream:
            return (0..<numbers.below(3) + 1).flatMap { _ in
                WireCodec.encode(UploadRequest(session: 1, changesets: changesets()))
            }
        case .frame: return [0] + message(.upload)
        case .objects: return body(of: .changes(chunk()))
        case .question: return body(of: .digestsWanted(question()))
        case .changesets: return Changeset.encode(changesets())
        case .list: return list().encoded()
        case .keyed: return keyed().encoded()
        case .text: return text().encoded()
        case .object: return object().encoded()
        case .entry:
            var entries = RandomEntries(seed: numbers.next())
            // Its rules are texts of ours, which are never wrong.
            return (try? entries.entry().encoded) ?? []
        default: return message(target)
        }
    }

    private func body(of message: DownloadMessage) -> [UInt8] {
        let payload = message.payload
        return Array(payload.dropFirst(Int(payload[0]) + 1))
    }

    private mutating func message(_ target: FuzzTarget) -> [UInt8] {
        switch target {
        case .hello:
            return Hello(
                client: ClientID(numbers.next()), protocolVersions: 1...2, schema: schema(), checkpoint: checkpoint(),
                held: queries(), wanted: queries(),
                staged: StagedView(point: resumePoint(), queries: queries())
            ).payload
        case .welcome:
            return Welcome(
                session: numbers.next(), protocolVersion: 1, epoch: numbers.next(), serverTime: numbers.next(),
                limits: .standard, committed: 3, ingested: 4
            ).payload
        case .uploadAnswer: return UploadAnswer(committed: numbers.next() >> 2, failure: failure()).payload
        case .downloadRequest: return DownloadRequest(session: numbers.next()).payload
        case .download: return downloadMessage().payload
        case .credit: return CreditRequest(session: numbers.next(), bytes: numbers.next()).payload
        case .subscriptions: return SubscriptionsRequest(session: numbers.next(), wanted: queries()).payload
        case .mark: return MarkRequest(session: numbers.next(), mark: numbers.next()).payload
        case .accepted: return Accepted().payload
        case .ingest:
            let entries = (0..<numbers.below(3)).map { _ in operations() }
            return IngestBatch(client: ClientID(7), first: UInt64(numbers.below(100)), entries: entries).payload
        case .ingestAnswer: return IngestAnswer(acknowledged: numbers.next() >> 2).payload
        case .failure: return failure().payload
        case .resync: return ResyncRequest(session: numbers.next(), number: 2, reports: reports()).payload
        default: return UploadRequest(session: numbers.next(), changesets: changesets()).payload
        }
    }

    // MARK: - Parts of messages

    mutating func failure() -> SyncFailure {
        SyncFailure(numbers.one(of: [.serverBusy, .operationInvalid, .queryInvalid]), "Something is wrong.")
    }

    private mutating func checkpoint() -> Checkpoint {
        Checkpoint(epoch: 1, version: ServerVersion(numbers.next() >> 40), querySet: 2, acknowledged: 3)
    }

    private mutating func resumePoint() -> ResumePoint {
        ResumePoint(
            checkpoint: checkpoint(), reached: RowPosition(className: "Note", row: ObjectKey(Int64(numbers.below(99)))))
    }

    private mutating func queries() -> QuerySet {
        QuerySet(
            version: UInt64(numbers.below(9)),
            queries: (0..<numbers.below(3)).map { _ in StandingQuery(className: "Note", predicate: "rank > 3") })
    }

    private mutating func schema() -> Schema {
        Schema([
            ClassSchema(
                name: "Note",
                properties: [
                    Property(name: "_id", type: .int, isPrimaryKey: true),
                    Property(name: "rank", type: .int, isIndexed: true),
                    Property(name: "body", type: .string, isText: true),
                    Property(name: "next", type: .object, isOptional: true, target: "Note"),
                    Property(name: "tags", type: .string, collection: numbers.one(of: [.list, .set, .map])),
                ]),
            ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "any", type: .mixed)]),
        ])
    }

    mutating func chunk() -> ViewChunk {
        func changes(_ seeds: inout FuzzSeeds) -> [ObjectContent] {
            let shape = seeds.object()
            return (0..<seeds.numbers.below(4)).map { index in
                var state = shape
                state.life = 1
                return ObjectContent(ObjectReference("Note", .int(Int64(index))), state)
            }
        }
        let edited = numbers.once(in: 2)
        return ViewChunk(
            checkpoint: numbers.once(in: 2) ? checkpoint() : nil, objectsTotal: 9, entered: changes(&self),
            updated: changes(&self).map { content in
                var content = content
                content.changes = edited ? [PartChange("edited", edits())] : []
                return content
            },
            left: [ObjectLeave(ObjectReference("Note", key()), numbers.one(of: [.query, .permission, .unsubscribed]))],
            deleted: [ObjectEnd(ObjectReference("Note", key()), life: 2)],
            refused: numbers.once(in: 2) ? [OperationRefusal(sequence: 3, operation: 1, failure: failure())] : [])
    }

    // MARK: - Operations

    private mutating func changesets() -> [Changeset] {
        (1...UInt64(numbers.below(3) + 1)).map { sequence in
            Changeset(
                client: ClientID(7), sequence: sequence, stamp: stamp(), base: ServerVersion(numbers.next() >> 48),
                lastSeen: numbers.once(in: 4) ? lastSeen() : [], operations: operations())
        }
    }

    private mutating func lastSeen() -> [Changeset.LastSeen] {
        var lastSeen: [Changeset.LastSeen] = []
        for _ in 0..<numbers.below(4) {
            lastSeen.note(
                ObjectReference("Note", key()), seen: ServerVersion(numbers.next() >> 48),
                of: numbers.once(in: 2) ? UInt64(numbers.below(3)) : nil)
        }
        return lastSeen
    }

    private mutating func operations() -> [Operation] {
        (0..<numbers.below(7)).map { _ in operation() }
    }

    private mutating func operation() -> Operation {
        let target = ObjectReference(numbers.one(of: ["Note", "Place"]), key())
        switch numbers.below(7) {
        case 0:
            return .create(
                target, life: numbers.one(of: [1, 3]),
                fields: [FieldValue("rank", value(), isDefault: true), FieldValue("title", value())])
        case 1: return .delete(target, life: 2)
        case 2: return .set(target, FieldValue("rank", value()))
        case 3: return .add(target, property: "rank", Addition(Int64(numbers.below(9)) - 4))
        case 4:
            let change =
                numbers.once(in: 2)
                ? KeyedOperation.put(key: .string("a"), value: value()) : .remove(key: value())
            return .keyed(target, property: "tags", change)
        case 5: return .text(target, property: "body", textOperation())
        default: return .list(target, property: "tags", listOperation())
        }
    }

    private mutating func listOperation() -> ListOperation {
        switch numbers.below(5) {
        case 0: .delete(id())
        case 1: .move(id(), position: id(), left: origin(), right: origin())
        case 2: .set(id(), value: value())
        case 3: .clear((0..<numbers.below(4)).map { _ in id() })
        default: .insert(id(), left: origin(), right: origin(), value: value())
        }
    }

    private mutating func textOperation() -> TextOperation {
        numbers.once(in: 3)
            ? .delete(id(), count: numbers.below(4) + 1)
            : .insert(id(), left: origin(), right: origin(), text: numbers.one(of: ["a", "héllo", "🛫 over"]))
    }

    private mutating func edits() -> PartEdits {
        let stamps = [stamp(), stamp()]
        let count = numbers.below(5) + 1
        switch numbers.below(3) {
        case 0: return .list((0..<count).map { StampedEdit(listOperation(), stamps[$0 % 2]) })
        case 1:
            return .keyed(
                (0..<count).map {
                    StampedEdit(
                        numbers.once(in: 2) ? .put(key: value(), value: value()) : .remove(key: value()),
                        stamps[$0 / 2 % 2])
                })
        default: return .text((0..<count).map { StampedEdit(textOperation(), stamps[$0 / 3]) })
        }
    }

    // MARK: - States

    private mutating func list() -> ListState {
        var list = ListState()
        for _ in 0..<numbers.below(12) { _ = list.join(listOperation(), stamp: stamp()) }
        return list
    }

    private mutating func keyed() -> KeyedState {
        KeyedState(
            (0..<numbers.below(5)).map { index in
                .init(key: .string("k\(index)"), value: numbers.once(in: 3) ? nil : value(), stamp: stamp())
            })
    }

    private mutating func text() -> TextState {
        var text = TextState()
        for _ in 0..<numbers.below(12) { _ = text.join(textOperation()) }
        return text
    }

    private mutating func object() -> ObjectState {
        let born = stamp()
        return ObjectState(
            life: UInt32(numbers.below(4)),
            fields: ["rank", "title"].map { .init($0, value(), stamp: numbers.once(in: 2) ? born : stamp()) },
            parts: (numbers.once(in: 2) ? [.init("list", .list(list()))] : [])
                + (numbers.once(in: 2) ? [.init("map", .keyed(keyed()))] : [])
                + (numbers.once(in: 2) ? [.init("text", .text(text()))] : []), born: born)
    }

    // MARK: - Values

    private mutating func stamp() -> Stamp {
        Stamp(time: UInt64(numbers.below(1_000)), client: ClientID(UInt64(numbers.below(3))))
    }

    private mutating func id() -> ElementID {
        ElementID(client: ClientID(UInt64(numbers.below(2))), counter: UInt64(numbers.below(20)))
    }

    private mutating func origin() -> ElementID? { numbers.once(in: 3) ? nil : id() }

    mutating func key() -> PrimaryKey {
        switch numbers.below(5) {
        case 0: .string("key")
        case 1: .container(id())
        case 2: .uuid(UUID16(high: numbers.next(), low: 1))
        case 3: .objectId(ObjectIdentifier12(high: numbers.next(), low: 1))
        default: .int(Int64(numbers.below(100)))
        }
    }

    private mutating func value() -> Value {
        switch numbers.below(12) {
        case 0: .null
        case 1: .bool(true)
        case 2: .float(0.5)
        case 3: .double(0.25)
        case 4: .string(numbers.one(of: ["", "a", "h\u{E9}llo", "he\u{301}llo"]))
        case 5: .bytes([0, 1, 2])
        case 6: .timestamp(Timestamp(seconds: Int64(numbers.below(1 << 33)), nanoseconds: 5))
        case 7: .objectId(ObjectIdentifier12(high: 1, low: 2))
        case 8: .link(key())
        case 9: .anyLink(ClassedLink("Note", key()))
        case 10: .decimal(DecimalNumber(Int64(numbers.below(9))))
        default: .int(Int64(bitPattern: numbers.next()) >> Int64(numbers.below(64)))
        }
    }
}
