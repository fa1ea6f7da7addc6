import CausewayIdentity
import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStore
import Testing

@Suite("Why a user may do something")
struct ExplanationTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "owner", type: .string),
                Property(name: "team", type: .string), Property(name: "level", type: .int),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
        ClassSchema(
            name: "Event", kind: .asymmetric, properties: [Property(name: "_id", type: .int, isPrimaryKey: true)]),
    ])

    private func template(_ text: String) throws -> PermissionRules.Rule { .when(try RuleTemplate(text)) }

    private func explain(
        _ rules: PermissionRules?, _ claims: [String: ClaimValue] = [:], className: String = "Task",
        _ values: [Int: Value] = [:]
    ) throws -> PermissionExplanation? {
        let classSchema = try #require(Self.schema[className])
        let object = DescribedObject(of: classSchema, values: values)
        return PermissionRules.explanation(
            rules, for: Caller(user: "ann", claims: claims, expires: 0), of: className, in: Self.schema
        ) { $0.matches(object) }
    }

    @Test("each right names the rule that decides, and those that were left out")
    func sources() throws {
        let rules = PermissionRules(
            byClass: ["Task": .init(read: .always, write: .never, properties: ["level": .init(read: .never)])],
            otherwise: .init(read: .never))
        let task = try #require(try explain(rules))
        #expect(task.rights.map(\.key) == ["read", "write", "write", "write"].map { "classes.Task.\($0)" })
        #expect(task[.create]?.leftOut == ["classes.Task.create"] && task[.write]?.leftOut == [])
        #expect(task.rights.map(\.verdict) == [.permitted, .refused, .refused, .refused])
        let level = try #require(task.properties.first { $0.name == "level" })
        #expect(level.write.key == "classes.Task.properties.level.read")
        #expect(level.write.leftOut == ["classes.Task.properties.level.write"])
        #expect(level.mayRead == .refused && level.mayWrite == .refused)
        let owner = try #require(task.properties.first { $0.name == "owner" })
        #expect(owner.read.key == nil && owner.mayRead == .permitted && owner.mayWrite == .refused)
        #expect(!task.properties.contains { $0.name == "_id" })
        let event = try #require(try explain(rules, className: "Event"))
        #expect(event[.create]?.key == "default.read")
        #expect(event[.create]?.leftOut == ["default.create", "default.write"])
        #expect(event[.read]?.note?.contains("one-way") == true)
        #expect(try explain(nil)?.rights.allSatisfy { $0.verdict == .permitted && $0.key == nil } == true)
        #expect(try explain(rules, className: "Place") == nil)
    }

    @Test("a rule shows its parts as written and with the claims put in, and which claims are missing")
    func parts() throws {
        let text = "owner == $user.id OR (team IN $user.claims.teams AND NOT level > $user.claims['max level'])"
        let rules = PermissionRules(byClass: ["Task": .init(read: try template(text))])
        let read = try #require(
            try explain(
                rules, ["teams": .array([.string("red"), .string("blue")])], [1: .string("bob"), 2: .string("red")])?[
                    .read])
        #expect(read.verdict == .unknown && read.part.written == text && read.part.form == .or)
        #expect(read.part.missingClaims == ["$user.claims['max level']"])
        let (own, other) = (read.part.parts[0], read.part.parts[1])
        #expect(own.answer == .no && own.written == "owner == $user.id" && own.forCaller == "owner == 'ann'")
        #expect(other.form == .and && other.answer == .unknown && other.parts.map(\.answer) == [.yes, .unknown])
        #expect(other.parts[0].forCaller == "team IN {'red', 'blue'}")
        #expect(other.parts[1].parts[0].forCaller == "level > $user.claims['max level']")
        #expect(other.parts[0].missingClaims == [] && other.parts[1].missingClaims == ["$user.claims['max level']"])
    }

    @Test("a claim compared with a constant shows what was compared and how it came out")
    func constants() throws {
        let rules = PermissionRules(byClass: ["Task": .init(read: try template("$user.claims.role == 'chief'"))])
        func read(_ claims: [String: ClaimValue]) throws -> RuleExplanation? { try explain(rules, claims)?[.read] }
        #expect(try read(["role": .string("chief")])?.verdict == .permitted)
        #expect(try read(["role": .string("clerk")])?.verdict == .refused)
        #expect(try read([:])?.verdict == .unknown)
        #expect(try read(["role": .object([:])])?.part.missingClaims == ["$user.claims.role"])
        #expect(try read(["role": .string("clerk")])?.part.written == "$user.claims.role == 'chief'")
    }

    @Test("text in quotation marks and names in backticks are not taken for claims")
    func quotations() throws {
        let text = "owner == '$user:0' AND team == $user.id"
        let rules = PermissionRules(byClass: ["Task": .init(read: try template(text))])
        let part = try #require(try explain(rules)?[.read]).part
        #expect(part.parts.map(\.written) == ["owner == '$user:0'", "team == $user.id"])
    }

    @Test("a property is closed by a rule for the embedded class that it holds, and the explanation says so")
    func closed() throws {
        let rules = PermissionRules(byClass: ["Place": .init(read: .never)])
        let place = try #require(try explain(rules)?.properties.first { $0.name == "place" })
        #expect(place.mayRead == .refused && place.read.note?.contains("embedded") == true)
    }

    private static let seeds = SeedList.drawn(for: "explanation", count: 1_000)

    @Test(
        "a right is permitted if and only if its whole rule is true, and for a generated rule all parts agree with it")
    func agreement() throws {
        let schema = RuleOutlookTests.schema
        let task = try #require(schema["Task"])
        for seed in Self.seeds {
            var drawing = RuleDrawing(seed: seed)
            let text = drawing.rule(depth: 4)
            let rules = PermissionRules(byClass: ["Task": .init(read: try template(text))])
            let (caller, object) = (drawing.caller(), drawing.object(of: task))
            let explanation = PermissionRules.explanation(rules, for: caller, of: "Task", in: schema) {
                $0.matches(object)
            }
            let read = try #require(explanation?[.read])
            #expect((read.verdict == .permitted) == (read.part.answer == .yes), "seed \(seed): \(text)")
            #expect((read.verdict == .unknown) == (read.part.answer == .unknown), "seed \(seed): \(text)")
            check(read.part, "seed \(seed): \(text)")
        }
    }

    private func check(_ part: RulePart, _ place: String) {
        let answers = part.parts.map(\.answer)
        switch part.form {
        case .and: #expect(part.answer == RuleAnswer.all(answers), "\(place)")
        case .or: #expect(part.answer == RuleAnswer.any(answers), "\(place)")
        case .not: #expect(answers.count == 1 && part.answer == answers.first?.negated, "\(place)")
        case .comparison: #expect(answers.isEmpty, "\(place)")
        }
        if !part.missingClaims.isEmpty, part.form == .comparison { #expect(part.answer == .unknown, "\(place)") }
        for inner in part.parts { check(inner, place) }
    }
}
