import CausewayIdentity
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("What is explained is what happens")
struct ExplainedAccessTests {
    private static let seeds = SeedList.drawn(for: "explained-access", count: 60)

    /// One database, one set of rules and one user, drawn from a seed.
    private struct Case {
        var numbers: SeededNumbers
        let view: View
        var rules = PermissionRules()
        var caller = Caller(user: "user", claims: [:], expires: 0)
        /// The tasks that exist.
        let ids: [Int64] = [1, 2, 3, 4, 5]
        var values: [Int64: (title: String, done: Bool)] = [:]

        var permissions: Permissions { Permissions(rules.rules(for: caller)) }

        init(seed: UInt64) throws {
            numbers = SeededNumbers(seed: seed)
            view = try View()
            for id in ids + [11, 12, 13] { values[id] = (numbers.one(of: ["a", "b", "user"]), numbers.below(2) == 0) }
            for id in ids { try view.write(View.bob, create(id)) }
            rules = try drawnRules()
            caller.claims = drawnClaims()
        }

        func create(_ id: Int64) -> Operation {
            let (title, done) = values[id] ?? ("", false)
            return make(task(id), ("title", .string(title)), ("done", .bool(done)))
        }

        private mutating func drawnRules() throws -> PermissionRules {
            var ofTask = PermissionRules.OfClass(read: try rule())
            if numbers.below(2) == 0 { ofTask.write = try rule() }
            if numbers.below(2) == 0 { ofTask.create = try rule() }
            if numbers.below(2) == 0 { ofTask.delete = try rule() }
            for name in ["title", "done"] where numbers.below(3) == 0 {
                ofTask.properties[name] = .init(read: try rule(), write: numbers.below(2) == 0 ? try rule() : nil)
            }
            return numbers.below(4) == 0
                ? PermissionRules(otherwise: ofTask) : PermissionRules(byClass: ["Task": ofTask])
        }

        private mutating func rule() throws -> PermissionRules.Rule {
            switch numbers.below(5) {
            case 0: .always
            case 1: .never
            default: .when(try RuleTemplate(text(depth: 2)))
            }
        }

        private mutating func text(depth: Int) -> String {
            switch depth == 0 ? 0 : numbers.below(5) {
            case 1: "NOT (\(text(depth: depth - 1)))"
            case 2: "(\(text(depth: depth - 1)) AND \(text(depth: depth - 1)))"
            case 3: "(\(text(depth: depth - 1)) OR \(text(depth: depth - 1)))"
            default:
                numbers.one(of: [
                    "title == $user.id", "title IN $user.claims.teams", "_id < $user.claims.level", "_id >= 3",
                    "done == true", "$user.claims.role == 'chief'", "title != $user.claims.nothing", "nothing == 1",
                    "labels.@count == 0", "title == 5", "TRUEPREDICATE", "owner == NULL",
                ])
            }
        }

        private mutating func drawnClaims() -> [String: ClaimValue] {
            var claims: [String: ClaimValue] = [:]
            if numbers.below(3) > 0 { claims["teams"] = .array([.string("a"), .string("c")]) }
            if numbers.below(3) > 0 { claims["level"] = numbers.one(of: [.int(3), .string("x")]) }
            if numbers.below(3) > 0 { claims["role"] = numbers.one(of: [.string("chief"), .string("clerk")]) }
            return claims
        }

        /// The explanation for a task of the database.
        func stored(_ id: Int64) throws -> PermissionExplanation {
            let snapshot = try view.record.snapshot()
            let number = try #require(snapshot.classNumber("Task"))
            let row = try #require(snapshot.row(ObjectName(number, .int(id))))
            return try #require(
                try PermissionRules.explanation(rules, for: caller, of: "Task", in: snapshot.schema) {
                    predicate throws(StoreFailure) in try snapshot.matches(row, predicate)
                })
        }

        /// The explanation for a task that is only described.
        func described(_ id: Int64) throws -> PermissionExplanation {
            let classSchema = try #require(View.schema["Task"])
            let (title, done) = values[id] ?? ("", false)
            let object = DescribedObject(
                of: classSchema, values: [0: .int(id), 1: .string(title), 2: .bool(done)])
            return try #require(
                PermissionRules.explanation(rules, for: caller, of: "Task", in: View.schema) { $0.matches(object) })
        }

        /// Whether an upload of the user was accepted.
        func accepts(_ operation: Operation) throws -> Bool {
            let before = try refusals()
            try view.write(View.ann, [operation], under: permissions)
            return try refusals() == before
        }

        private func refusals() throws -> Int {
            try view.record.snapshot().refusals(of: View.ann, after: 0, through: .max - 1).count
        }
    }

    @Test("a device is sent exactly the objects and properties that are explained as readable")
    func reading() throws {
        for seed in Self.seeds {
            let drawn = try Case(seed: seed)
            let sent = try sent(drawn)
            for id in drawn.ids {
                let explanation = try drawn.stored(id)
                let mayRead = explanation[.read]?.verdict == .permitted
                #expect((sent[id] != nil) == mayRead, "seed \(seed), task \(id)")
                for property in explanation.properties where ["title", "done"].contains(property.name) {
                    let isSent = sent[id]?.contains(property.name) == true
                    #expect(isSent == (property.mayRead == .permitted), "seed \(seed), task \(id), \(property.name)")
                }
            }
        }
    }

    private func sent(_ drawn: Case) throws -> [Int64: [String]] {
        let difference = try ViewDifference(
            drawn.view.record.snapshot(), from: .zero, held: [], wanted: [tasks("TRUEPREDICATE")],
            heldUnder: drawn.permissions, under: drawn.permissions, for: View.ann)
        var sent: [Int64: [String]] = [:]
        while true {
            let part = try difference.next(bytesMax: 1 << 20)
            for entered in part.allEntered {
                guard case .int(let id) = entered.object.key else { continue }
                sent[id] = entered.state.fields.map(\.property)
            }
            if part.isLast { return sent }
        }
    }

    @Test("an upload is accepted exactly where it is explained as permitted: changes, deletes and creates")
    func writing() throws {
        for seed in Self.seeds {
            let drawn = try Case(seed: seed)
            for id in drawn.ids {
                let explanation = try drawn.stored(id)
                let title = try #require(explanation.properties.first { $0.name == "title" })
                // The value that it has: so the object meets the same rules afterwards.
                let value = Value.string(drawn.values[id]?.title ?? "")
                #expect(
                    try drawn.accepts(change(task(id), "title", value)) == (title.mayWrite == .permitted),
                    "seed \(seed): a change of task \(id)")
                #expect(
                    try drawn.accepts(.delete(task(id), life: 2)) == (explanation[.delete]?.verdict == .permitted),
                    "seed \(seed): a delete of task \(id)")
            }
            for id in [11, 12, 13] as [Int64] {
                let explanation = try drawn.described(id)
                let set = drawn.values[id]?.done == true ? ["title", "done"] : ["title"]
                let isPermitted =
                    explanation[.create]?.verdict == .permitted
                    && explanation.properties.allSatisfy { !set.contains($0.name) || $0.write.verdict == .permitted }
                #expect(try drawn.accepts(drawn.create(id)) == isPermitted, "seed \(seed): a create of task \(id)")
            }
        }
    }
}
