import CausewayIdentity
import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStore
import Testing

@Suite("Rules that can never be true, or always are")
struct RuleOutlookTests {
    static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "level", type: .int),
                Property(name: "bonus", type: .int, isOptional: true),
                Property(name: "score", type: .double),
                Property(name: "team", type: .string),
                Property(name: "owner", type: .string, isOptional: true),
                Property(name: "isPublic", type: .bool),
                Property(name: "made", type: .date),
                Property(name: "anything", type: .mixed, isOptional: true),
                Property(name: "members", type: .string, collection: .list),
            ])
    ])

    private func problem(_ rule: String) throws -> String? {
        let rules = PermissionRules(byClass: ["Task": .init(read: .when(try RuleTemplate(rule)))])
        return rules.problems(in: Self.schema).first?.message
    }

    @Test(
        "what no object can meet is told, with the comparisons that exclude each other",
        arguments: [
            ("level == 1 AND level == 2", "'level == 1' and 'level == 2' exclude each other"),
            ("level > 5 AND isPublic == true AND level < 3", "'level > 5' and 'level < 3' exclude each other"),
            ("level > 5 AND level < 6", "exclude each other"), ("score > 1.5 AND score < 1.5", "exclude each other"),
            ("team == 'a' AND NOT team == 'a'", "both true and false"), ("team == 'a' AND team != 'a'", "exclude"),
            ("team IN {'a', 'b'} AND team == 'c'", "exclude"),
            ("team BEGINSWITH 'a' AND team BEGINSWITH 'b'", "exclude"),
            ("team == 'abc' AND team ENDSWITH 'b'", "exclude"), ("team > 'b' AND team < 'a'", "exclude"),
            ("team.@count > 3 AND team.@count < 2", "exclude"), ("members.@count < 0", "holds for no value"),
            ("FALSEPREDICATE AND level == 1", "comes out false"), ("NOT TRUEPREDICATE", "comes out false"),
            ("level == 0.5", "comes out false"), ("isPublic == true AND isPublic == false", "exclude"),
            ("(level == 1 OR level == 2) AND level == 3", "each of its 2 alternatives"),
            ("NOT (level < 5 OR level >= 5) AND bonus == 1", "exclude"),
            ("made == $user.claims.day", "unknown for every object"), ("level == $user.id", "unknown for every object"),
            ("$user.claims.role == 'chief' AND NOT $user.claims.role == 'chief'", "both true and false"),
            ("$user.id == owner AND level IN {1} AND level IN {2}", "exclude"),
        ])
    func never(_ rule: String, _ reason: String) throws {
        let problem = try #require(try problem(rule), "\(rule)")
        #expect(problem.contains("permits nothing to anybody") && problem.contains(reason), "\(problem)")
    }

    @Test(
        "what every object meets is told, where it is not written as true",
        arguments: [
            "TRUEPREDICATE", "level < 5 OR level >= 5", "members.@count >= 0", "TRUEPREDICATE OR owner == $user.id",
            "level != 0.5", "NOT (team == 'a' AND team == 'b')", "isPublic == true OR isPublic != true",
        ])
    func always(_ rule: String) throws {
        let problem = try #require(try problem(rule), "\(rule)")
        #expect(problem.contains("Every object meets the rule"), "\(problem)")
    }

    @Test(
        "nothing is said of a rule that some object or some caller may meet, and another may not",
        arguments: [
            "level == 1 OR level == 2", "ANY members == 'a' AND ANY members == 'b'", "owner == $user.id",
            "$user.claims.role == 'a' AND $user.claims.role == 'b'", "anything == 1 AND anything == true",
            "level > 5 AND level < 7", "score > 1 AND score < 2", "owner == NULL OR owner == $user.id",
            "$user.claims.role == 'a' OR NOT $user.claims.role == 'a'", "team ==[c] 'A' AND team == 'a'",
            "team > 'a' AND team < 'b'", "bonus < 5 OR bonus >= 5", "team LIKE 'a*' AND team ENDSWITH 'b'",
        ])
    func open(_ rule: String) throws {
        #expect(try problem(rule) == nil, "\(rule)")
    }

    private static let seeds = SeedList.drawn(for: "rule-outlook", count: 4_000)

    @Test("no object and no caller contradicts what is said of a generated rule")
    func sound() throws {
        var told = (never: 0, always: 0)
        for seed in Self.seeds {
            var drawing = RuleDrawing(seed: seed)
            let text = drawing.rule(depth: 3)
            let template = try RuleTemplate(text)
            let rules = PermissionRules(byClass: ["Task": .init(read: .when(template))])
            guard let message = rules.problems(in: Self.schema).first?.message else { continue }
            let isNever = message.contains("permits nothing to anybody")
            guard isNever || message.contains("Every object meets") else { continue }
            if isNever { told.never += 1 } else { told.always += 1 }
            for _ in 0..<60 {
                let caller = drawing.caller()
                let read = try #require(Permissions(rules.rules(for: caller)).bound(in: Self.schema)["Task"]).read
                let object = drawing.object(of: try #require(Self.schema["Task"]))
                #expect(read.matches(object) != isNever, "seed \(seed): \(text): \(message)")
            }
        }
        // Otherwise nothing was looked at. A run of one seed may be one of the others.
        if Self.seeds.count > 1_000 { #expect(told.never > 50 && told.always > 5, "\(told)") }
    }
}

/// Rules that often contradict themselves, and objects and callers that often meet what is left.
struct RuleDrawing {
    private var numbers: SeededNumbers

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    mutating func rule(depth: Int) -> String {
        guard depth > 0, numbers.below(4) > 0 else { return comparison() }
        switch numbers.below(5) {
        case 0: return "NOT (\(rule(depth: depth - 1)))"
        case 1...2: return "(\(rule(depth: depth - 1)) AND \(rule(depth: depth - 1)))"
        case 3: return "(\(rule(depth: depth - 1)) OR \(rule(depth: depth - 1)))"
        default: return "(\(comparison()) AND \(comparison()) AND \(comparison()))"
        }
    }

    private mutating func comparison() -> String {
        let order = numbers.one(of: ["==", "!=", "<", "<=", ">", ">="])
        switch numbers.below(14) {
        case 0...2: return "\(numbers.one(of: ["level", "bonus"])) \(order) \(numbers.below(4))"
        case 3: return "\(numbers.one(of: ["level", "bonus"])) \(order) \(numbers.below(3)).5"
        case 4: return "score \(order) \(numbers.one(of: ["0", "0.5", "1", "1.5"]))"
        case 5: return "team \(order) '\(word())'"
        case 6:
            let comparator = numbers.one(of: ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==[c]", "BEGINSWITH[c]"])
            return "\(numbers.one(of: ["team", "owner"])) \(comparator) '\(word())'"
        case 7: return "isPublic == \(numbers.one(of: ["true", "false"]))"
        case 8: return "level \(numbers.one(of: ["IN {0, 2}", "IN {1}", "BETWEEN {1, 2}", "== NULL"]))"
        case 9: return "owner \(numbers.one(of: ["== NULL", "!= NULL", "== 'a'", "IN {'a', NULL}"]))"
        case 10: return "\(numbers.one(of: ["ANY", "ALL", "NONE"])) members == '\(word())'"
        case 11: return "\(numbers.one(of: ["members.@count", "team.@count"])) \(order) \(numbers.below(3))"
        case 12: return "anything \(order) \(numbers.one(of: ["1", "true", "'a'", "0.5", "NULL"]))"
        default:
            return numbers.one(of: [
                "owner == $user.id", "level < $user.claims.level", "team IN $user.claims.teams",
                "$user.claims.role == 'chief'", "made == $user.claims.level", "TRUEPREDICATE", "nobody == 1",
            ])
        }
    }

    private mutating func word() -> String { numbers.one(of: ["a", "b", "ab", "A", "ba"]) }

    mutating func caller() -> Caller {
        var claims: [String: ClaimValue] = [:]
        if numbers.below(2) == 0 { claims["level"] = numbers.one(of: [.int(1), .int(3), .string("x"), .double(1.5)]) }
        if numbers.below(2) == 0 { claims["teams"] = .array([.string(word()), .string(word())]) }
        if numbers.below(2) == 0 { claims["role"] = numbers.one(of: [.string("chief"), .string("clerk"), .null]) }
        return Caller(user: numbers.one(of: ["a", "b"]), claims: claims, expires: 0)
    }

    mutating func object(of classSchema: ClassSchema) -> DescribedObject {
        var values: [Int: Value] = [:]
        var elements: [Int: [Value]] = [:]
        for (number, property) in classSchema.properties.enumerated() {
            if property.collection != .none {
                elements[number] = (0..<numbers.below(3)).map { _ in .string(word()) }
            } else {
                values[number] = value(of: property)
            }
        }
        return DescribedObject(of: classSchema, values: values, elements: elements)
    }

    private mutating func value(of property: Property) -> Value {
        if property.isOptional, numbers.below(3) == 0 { return .null }
        switch property.type {
        case .int: return .int(Int64(numbers.number(-1...4)))
        case .double: return .double(numbers.one(of: [-1, 0, 0.25, 0.5, 1, 1.5, 2, .nan]))
        case .bool: return .bool(numbers.below(2) == 0)
        case .string: return .string(numbers.one(of: ["", "a", "b", "ab", "A", "ba", "abc", "c"]))
        case .mixed: return numbers.one(of: [.int(1), .bool(true), .string("a"), .double(0.5), .double(1)])
        default: return property.zero
        }
    }
}
