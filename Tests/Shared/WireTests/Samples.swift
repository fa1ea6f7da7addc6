import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayWire

/// Random messages of every kind, the same for the same seed.
struct Samples {
    private var random: SeededNumbers

    init(seed: UInt64) {
        random = SeededNumbers(seed: seed)
    }

    mutating func number() -> UInt64 { random.next() }

    /// As large as that of a changeset may be.
    mutating func sequence() -> UInt64 { random.next() >> 2 }

    mutating func number(below bound: Int) -> Int { random.below(bound) }

    mutating func text(upTo length: Int = 24) -> String {
        String((0..<number(below: length + 1)).map { _ in "aébcdefghijklm→ no🛫".randomElement(using: &random)! })
    }

    mutating func value() -> Value {
        switch number(below: 13) {
        case 0: .null
        case 12: .decimal(DecimalNumber(Int64(bitPattern: number())))
        case 1: .bool(number() & 1 == 1)
        case 2: .int(Int64(bitPattern: number()) >> Int64(number(below: 64)))
        case 3: .float(Float(bitPattern: 0x3F80_0000 | UInt32(number(below: 1 << 22))))
        case 4: .double(Double(Int64(bitPattern: number()) >> 11) / 1_000)
        case 5: .string(text())
        case 6: .bytes((0..<number(below: 40)).map { UInt8(truncatingIfNeeded: $0) })
        case 7: .timestamp(Timestamp(seconds: Int64(number(below: 1 << 33)), nanoseconds: Int32(number(below: 1_000))))
        case 8: .objectId(ObjectIdentifier12(high: number(), low: UInt32(truncatingIfNeeded: number())))
        case 9: .uuid(UUID16(high: number(), low: number()))
        default: .link(key())
        }
    }

    mutating func key() -> PrimaryKey {
        switch number(below: 6) {
        case 0: .null
        case 1: .int(Int64(bitPattern: number()) >> 40)
        case 2: .string(text())
        case 3: .objectId(ObjectIdentifier12(high: number(), low: UInt32(truncatingIfNeeded: number())))
        case 4: .uuid(UUID16(high: number(), low: number()))
        default: .container(elementID())
        }
    }

    mutating func openings() -> Openings {
        var openings = Openings()
        for first in 1...UInt64(number(below: 30) + 1) { openings.note(number(), from: first * 7) }
        return openings
    }

    mutating func elementID() -> ElementID {
        ElementID(client: ClientID(UInt64(number(below: 4))), counter: UInt64(number(below: 1_000)))
    }

    mutating func stamp() -> Stamp {
        Stamp(time: number() >> UInt64(number(below: 64)), client: ClientID(UInt64(number(below: 3))))
    }

    mutating func reference() -> ObjectReference {
        ObjectReference(["Flight", "Plane", "Größe"][number(below: 3)], key())
    }

    mutating func list() -> ListState {
        var list = ListState()
        for counter in 0..<UInt64(number(below: 4)) {
            let id = ElementID(client: ClientID(7), counter: counter)
            _ = list.join(.insert(id, left: nil, right: nil, value: value()), stamp: stamp())
        }
        return list
    }

    mutating func keyed() -> KeyedState {
        KeyedState(
            (0..<number(below: 4)).map { _ in
                .init(key: .string(text()), value: number(below: 3) == 0 ? nil : value(), stamp: stamp())
            })
    }

    mutating func objectState() -> ObjectState {
        let fields = ["carrier", "delay", "name", "origin"].filter { _ in number(below: 3) > 0 }
        let lists = ["crew", "legs"].filter { _ in number(below: 4) == 0 }
        let keyed = ["parks", "tags"].filter { _ in number(below: 4) == 0 }
        let born = stamp()
        let isUsual = number() & 1 == 0
        return ObjectState(
            life: UInt32(number(below: 5)),
            fields: fields.map {
                .init($0, value(), stamp: isUsual ? born : stamp(), isDefault: number(below: 4) == 0)
            },
            parts: lists.map { .init($0, .list(list())) } + keyed.map { .init($0, .keyed(self.keyed())) },
            born: born)
    }

    mutating func change() -> ObjectContent {
        ObjectContent(reference(), objectState())
    }

    /// What happened to some of its collections.
    mutating func edited() -> ObjectContent {
        var content = change()
        for property in ["edited", "legs of it", "~"] where number(below: 2) == 0 {
            content.changes.append(PartChange(property, edits()))
        }
        return content
    }

    mutating func edits() -> PartEdits {
        let stamps = (0..<3).map { _ in stamp() }
        let count = 1 + number(below: 6)
        switch number(below: 3) {
        case 0:
            return .list(
                (0..<count).map { index in
                    let edits: [ListOperation] = [
                        .insert(elementID(), left: elementID(), right: nil, value: value()), .delete(elementID()),
                        .move(elementID(), position: elementID(), left: nil, right: elementID()),
                        .set(elementID(), value: value()), .clear([elementID(), elementID()]),
                    ]
                    return StampedEdit(edits[number(below: 5)], stamps[index / 2])
                })
        case 1:
            return .keyed(
                (0..<count).map { index in
                    let isPut = number(below: 2) == 0
                    return StampedEdit(
                        isPut ? .put(key: .string(text()), value: value()) : .remove(key: value()), stamps[index / 2])
                })
        default:
            return .text(
                (0..<count).map { index in
                    let isInsert = number(below: 2) == 0
                    let id = elementID()
                    return StampedEdit(
                        isInsert
                            ? .insert(id, left: nil, right: elementID(), text: "a" + text())
                            : .delete(id, count: 1 + index),
                        stamps[index / 2])
                })
        }
    }

    mutating func checkpoint() -> Checkpoint {
        Checkpoint(
            epoch: number(), version: ServerVersion(number()), querySet: number() >> 50, acknowledged: number() >> 40)
    }

    mutating func querySet() -> QuerySet {
        QuerySet(
            version: number() >> 40,
            queries: (0..<number(below: 5)).map { _ in StandingQuery(className: text(), predicate: text(upTo: 200)) })
    }

    mutating func schema() -> Schema {
        Schema(
            (0..<number(below: 5)).map { index in
                ClassSchema(
                    name: "Class\(index)", kind: ClassKind(rawValue: UInt8(number(below: 3)))!,
                    properties: PropertyType.allCases.map { type in
                        Property(
                            name: "property\(type.rawValue)", type: type,
                            collection: CollectionKind(rawValue: UInt8(number(below: 4)))!,
                            isOptional: number() & 1 == 0 || type == .mixed,
                            isPrimaryKey: type == .uuid, isIndexed: number() & 1 == 0,
                            target: type == .object ? "Class0" : nil)
                    })
            })
    }

    mutating func hello() -> Hello {
        Hello(
            client: ClientID(number()), protocolVersions: 1...UInt32(1 + number(below: 9)), schema: schema(),
            checkpoint: checkpoint(), held: querySet(), wanted: querySet(), oldest: number(), oldestOneWay: number(),
            staged: number(below: 3) == 0 ? StagedView(point: resumePoint(), queries: querySet()) : nil,
            predecessor: ClientID(number()), opening: number())
    }

    mutating func resumePoint() -> ResumePoint {
        ResumePoint(
            checkpoint: checkpoint(),
            reached: RowPosition(className: text(), row: ObjectKey(Int64(bitPattern: number()))))
    }

    mutating func changeset(client: ClientID, sequence: UInt64) -> Changeset {
        Changeset(
            client: client, sequence: sequence, stamp: stamp(), base: ServerVersion(number() >> 30),
            operations: (0..<number(below: 20)).map { _ in operation() })
    }

    mutating func operation() -> Operation {
        switch number(below: 5) {
        case 0: create()
        case 1: .delete(reference(), life: UInt32(2 + 2 * number(below: 3)))
        case 2: .set(reference(), FieldValue("delay", value(), isDefault: number(below: 5) == 0))
        case 3: .keyed(reference(), property: "parks", .put(key: .string(text()), value: value()))
        default:
            .list(reference(), property: "legs", .insert(elementID(), left: elementID(), right: nil, value: value()))
        }
    }

    mutating func create() -> Operation {
        .create(
            reference(), life: UInt32(1 + 2 * number(below: 2)),
            fields: [FieldValue("carrier", value()), FieldValue("delay", value(), isDefault: true)])
    }

    mutating func chunk() -> ViewChunk {
        ViewChunk(
            checkpoint: number() & 1 == 0 ? checkpoint() : nil, objectsTotal: number() >> 44,
            objectsDone: number() >> 50, resume: number(below: 3) == 0 ? resumePoint() : nil,
            entered: (0..<number(below: 30)).map { _ in change() },
            updated: (0..<number(below: 10)).map { _ in number(below: 2) == 0 ? change() : edited() },
            left: (0..<number(below: 10)).map { _ in
                ObjectLeave(reference(), LeaveReason(rawValue: UInt8(1 + number(below: 3)))!)
            },
            deleted: (0..<number(below: 10)).map { _ in ObjectEnd(reference(), life: UInt32(2 * number(below: 9))) },
            refused: (0..<number(below: 4)).map { _ in
                OperationRefusal(
                    sequence: number(), operation: number() >> 50, failure: SyncFailure(.operationInvalid, text()))
            })
    }

    mutating func digest() -> Digest { Digest(low: number(), high: number()) }

    mutating func rangeDigest() -> RangeDigest {
        number(below: 3) == 0 ? .empty : RangeDigest(count: 1 + number() >> 40, sum: digest())
    }

    mutating func digestQuestion() -> DigestQuestion {
        DigestQuestion(
            number: number(), seed: number(), acknowledged: number() >> 30,
            asks: (0..<number(below: 30)).map { _ in
                let bits = UInt8(6 * number(below: 11))
                return DigestAsk(
                    DigestRange("Class\(number(below: 3))", bits: bits, prefix: number() & ((1 << UInt64(bits)) - 1))!,
                    DigestAsk.Detail(rawValue: UInt8(number(below: 3)))!)
            })
    }

    mutating func resyncRequest() -> ResyncRequest {
        ResyncRequest(
            session: number(), number: number(),
            reports: (0..<number(below: 6)).map { _ in
                switch number(below: 3) {
                case 0: .whole(rangeDigest())
                case 1: .parts((0..<64).map { _ in rangeDigest() })
                default: .objects((0..<number(below: 20)).map { _ in ObjectDigest(reference().key, digest()) })
                }
            })
    }

    mutating func downloadMessage() -> DownloadMessage {
        switch number(below: 8) {
        case 4: .digestsWanted(digestQuestion())
        case 0: .mark(number())
        case 1: .heartbeat(serverTime: number())
        case 2: .queriesRefused(querySet: number(), SyncFailure(.queryInvalid, text()))
        case 3: .end(SyncFailure(.serverEnding, text()))
        default: .changes(chunk())
        }
    }
}
