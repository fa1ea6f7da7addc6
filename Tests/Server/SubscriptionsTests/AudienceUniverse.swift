import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded

@testable import CausewaySubscriptions

/// Devices with queries of all shapes, commits that touch what they ask for, and looks at any time.
struct AudienceUniverse {
    static let schema = Schema([
        ClassSchema(
            name: "Item",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "store", type: .int),
                Property(name: "price", type: .double, isOptional: true),
                Property(name: "name", type: .string, isOptional: true), Property(name: "done", type: .bool),
                Property(name: "at", type: .date),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
                Property(name: "labels", type: .string, collection: .list),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
    ])

    private let view: View
    private var numbers: SeededNumbers
    private var table: AudienceTable
    private var sessions: [Session] = []
    private(set) var asked = 0
    private(set) var slept = 0
    private(set) var wokenForNothing = 0

    private struct Session {
        let id: UInt64
        let client: ClientID
        var queries: [QueryText]
        var permissions: Permissions?
        var position: ServerVersion
        var told: UInt64 = 0
        var isAsleep = false
        let kept = KeptQueries()
    }

    init(seed: UInt64) throws {
        numbers = SeededNumbers(seed: seed)
        view = try View()
        try view.record.extendSchema(Self.schema)
        table = AudienceTable(at: view.record.version)
        for number in 0..<30 {
            let isWriter = number < 2
            sessions.append(
                Session(
                    id: UInt64(number),
                    client: isWriter ? [View.ann, View.bob][number] : ClientID(UInt64(number) + 100),
                    queries: drawnQueries(), permissions: drawnPermissions(), position: view.record.version))
        }
    }

    /// - Returns: what a session would have slept over.
    mutating func step() throws -> String? {
        for _ in 0..<numbers.below(4) { try commit() }
        if numbers.happens(percent: 80) { try look() }
        for index in sessions.indices where numbers.happens(percent: 30) {
            if let wrong = try ask(index) { return wrong }
        }
        return nil
    }

    private mutating func look() throws {
        let findings = table.look(at: try view.record.snapshot(), .unhurried)
        let ids = Set(findings.others + findings.authors + findings.concerned.flatMap(\.members))
        for index in sessions.indices where ids.contains(sessions[index].id) { sessions[index].isAsleep = false }
    }

    // MARK: - Commits

    private mutating func commit() throws {
        let client = numbers.happens(percent: 50) ? View.ann : View.bob
        var operations: [Operation] = []
        for _ in 0..<(1 + numbers.below(3)) { operations += operation() }
        // What is refused is none of this test's business.
        try? view.write(client, operations)
    }

    private mutating func operation() -> [Operation] {
        let item = ObjectReference("Item", .int(Int64(numbers.below(40))))
        let place = ObjectReference(
            "Place", .container(ElementID(client: View.bob, counter: UInt64(1 + numbers.below(1_000_000)))))
        switch numbers.below(8) {
        case 0, 1:
            return [
                .create(
                    item, life: 1,
                    fields: [
                        FieldValue("store", .int(Int64(numbers.below(12)))),
                        FieldValue("price", .double(Double(numbers.below(40)))), FieldValue("done", .bool(false)),
                    ])
            ]
        case 2: return [.delete(item, life: 2)]
        case 3: return [change(item, "store", .int(Int64(numbers.below(12))))]
        case 4:
            return [change(item, "price", numbers.happens(percent: 10) ? .null : .double(Double(numbers.below(40))))]
        case 5:
            return [change(item, "name", numbers.happens(percent: 30) ? .null : .string(numbers.one(of: ["x", "y"])))]
        case 6:
            return [
                change(item, "done", .bool(numbers.happens(percent: 50))),
                change(
                    item, "at", .timestamp(Timestamp(seconds: Int64(numbers.below(20)), nanoseconds: 0))),
            ]
        default:
            return [
                .create(place, life: 1, fields: [FieldValue("city", .string(numbers.one(of: ["oslo", "rome"])))]),
                change(item, "place", .link(place.key)),
            ]
        }
    }

    // MARK: - Queries

    private mutating func drawnQueries() -> [QueryText] {
        (0..<(1 + numbers.below(2))).map { _ in
            QueryText(className: "Item", predicate: condition(depth: 2))
        }
    }

    private mutating func condition(depth: Int) -> String {
        if depth > 0, numbers.happens(percent: 40) {
            let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
            return "(\(left)) \(numbers.one(of: ["AND", "OR", "AND"])) (\(right))"
        }
        switch numbers.below(12) {
        case 0...3: return "store == \(numbers.below(12))"
        case 4: return "store IN {\(numbers.below(12)), \(numbers.below(12))}"
        case 5: return "price > \(numbers.below(40)) AND price < \(numbers.below(60))"
        case 6: return "price == \(numbers.below(40))"
        case 7: return "name == \(numbers.one(of: ["nil", "'x'"])) AND store < \(numbers.below(12))"
        case 8: return "at BETWEEN {T\(numbers.below(10)):0, T\(10 + numbers.below(10)):0} AND done == true"
        case 9: return "place.city == 'oslo' AND store == \(numbers.below(12))"
        case 10: return "_id == \(numbers.below(40))"
        default: return "NOT (store != \(numbers.below(12)))"
        }
    }

    private mutating func drawnPermissions() -> Permissions? {
        guard numbers.happens(percent: 40), let read = try? Predicate.parse("store == \(numbers.below(12))") else {
            return nil
        }
        return Permissions(AccessRules(byClass: ["Item": AccessRules.OfClass(read: .when(read))]))
    }

    // MARK: - What a session is told

    private mutating func ask(_ index: Int) throws -> String? {
        var session = sessions[index]
        defer { sessions[index] = session }
        if numbers.happens(percent: 3) {
            table.leave(session.id)
            return nil
        }
        let snapshot = try view.record.snapshot()
        let standing = table.standing(of: session.id, at: session.position)
        let isNew = numbers.happens(percent: 4)
        asked += 1
        switch standing {
        case .quiet(let through, _):
            guard !isNew else { break }
            if through == snapshot.version {
                let missed = try difference(session, session.position, snapshot)
                if let wrong = missed.words { return "\(session.queries) at \(session.position): \(wrong)" }
            }
            if through > session.position { slept += 1 }
            session.position = through
            _ = table.rest(session.id, at: session.position, isContent: true)
            session.isAsleep = true
            return nil
        case .concerned(let start):
            if session.isAsleep { return "\(session.queries) sleeps over what concerns it" }
            let whole = try difference(session, session.position, snapshot)
            let rest = try difference(session, start, snapshot)
            // What a device wrote itself is told by what it did not know, which depends on when it was told.
            if !isWriter(session), whole.words != rest.words {
                return "\(session.queries): \(whole.words ?? "") is not \(rest.words ?? "")"
            }
            if whole.words == nil { wokenForNothing += 1 }
        case .unknown: break
        }
        if isNew {
            // Whatever it held, it holds what it wants now.
            (session.queries, session.permissions) = (drawnQueries(), drawnPermissions())
        }
        let told = try difference(session, session.position, snapshot)
        table.join(session.id, of: session.client, told: told.difference)
        (session.position, session.told) = (snapshot.version, told.difference.acknowledged)
        session.isAsleep = false
        return nil
    }

    private func isWriter(_ session: Session) -> Bool { session.client == View.ann || session.client == View.bob }

    private func difference(
        _ session: Session, _ start: ServerVersion, _ snapshot: any StoreSnapshot
    ) throws -> (words: String?, difference: ViewDifference) {
        let difference = try ViewDifference(
            snapshot, from: start, held: session.queries, wanted: session.queries, heldUnder: session.permissions,
            under: session.permissions, for: session.client, acknowledged: session.told, queries: session.kept)
        var words: [String] = []
        while true {
            let part = try difference.next(bytesMax: 1 << 20)
            words += part.allEntered.map { "enter \($0.object.shown)" }
            words += part.updated.map { "update \($0.object.shown) \($0.state.names)" }
            words += part.left.map { "leave \($0.object.shown)" }
            // A part that is gone is also told to those who never had what it was in.
            words += part.deleted.filter { $0.object.className == "Item" }.map { "delete \($0.object.shown)" }
            words += part.refused.map { "refused \($0.sequence)" }
            if part.isLast { break }
        }
        if difference.acknowledged != session.told { words.append("acknowledged \(difference.acknowledged)") }
        return (words.isEmpty ? nil : words.joined(separator: ", "), difference)
    }
}
