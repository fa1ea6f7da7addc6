import CausewayIdentity
import CausewayModel
import CausewayQuery
import CausewayStore
import Testing

@Suite("Rules of permissions")
struct RuleTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Task",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "owner", type: .string, isOptional: true),
                Property(name: "team", type: .string),
                Property(name: "level", type: .int),
                Property(name: "score", type: .double),
                Property(name: "isPublic", type: .bool),
                Property(name: "key", type: .uuid),
                Property(name: "mark", type: .objectId),
                Property(name: "anything", type: .mixed, isOptional: true),
                Property(name: "members", type: .string, collection: .list),
                Property(name: "maker", type: .object, isOptional: true, target: "Person"),
                Property(name: "place", type: .object, isOptional: true, target: "Place"),
                // Called like what stands for claims while a rule is read: none of it may ever be taken for one.
                Property(name: "$user:0", type: .string),
                Property(name: "$user:1", type: .int),
            ]),
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "name", type: .string, isPrimaryKey: true), Property(name: "age", type: .int),
                Property(name: "$user:0", type: .string),
            ]),
        ClassSchema(name: "Place", kind: .embedded, properties: [Property(name: "city", type: .string)]),
    ])

    private struct Row: RowSource {
        var values: [String: Value] = [:]
        var lists: [String: [Value]] = [:]

        func value(of property: Int, in className: String) -> Value {
            RuleTests.schema[className].map { values[$0.properties[property].name] ?? $0.properties[property].zero }
                ?? .null
        }

        func elements(of property: Int, in className: String) -> [Value] {
            RuleTests.schema[className].flatMap { lists[$0.properties[property].name] } ?? []
        }

        func object(at link: Value, in target: String) -> Row? { nil }
    }

    private func permits(_ rule: String, _ claims: [String: ClaimValue], _ row: Row = Row()) throws -> Bool {
        try bound(rule, claims).matches(row)
    }

    private func bound(_ rule: String, _ claims: [String: ClaimValue]) throws -> BoundPredicate {
        let caller = Caller(user: "ann", claims: claims, expires: 0)
        let rules = PermissionRules(byClass: ["Task": .init(read: .when(try RuleTemplate(rule)))]).rules(for: caller)
        return try #require(Permissions(rules).bound(in: Self.schema)["Task"]).read
    }

    // MARK: - Quantifiers

    @Test("a quantifier belongs to the collection beside a claim, on whichever side it stands")
    func quantifiers() throws {
        let row = Row(lists: ["members": [.string("a"), .string("b")]])
        let claims: [String: ClaimValue] = ["x": .string("a")]
        #expect(try permits("$user.claims.x == ANY members", claims, row))
        #expect(try !permits("$user.claims.x == ALL members", claims, row))
        #expect(try !permits("ALL members == $user.claims.x", claims, row))
        #expect(try !permits("$user.claims.x == NONE members", claims, row))
        #expect(try permits("$user.claims.x != NONE members OR $user.claims.x == members", claims, row))
        #expect(throws: RuleError.self) { try RuleTemplate("ANY members == ALL $user.claims.x") }
        #expect(try permits("$user.claims.x == ANY {'a', 'z'}", claims, row))
        #expect(try !permits("$user.claims.y == ANY {'a', 'z'}", claims, row))
        #expect(try !permits("NOT $user.claims.y == NONE {'a', 'z'}", claims, row))
    }

    @Test("two collections are not compared with each other: whoever writes would choose what it costs")
    func products() throws {
        let row = Row(lists: ["members": [.string("a")]])
        #expect(try !permits("ANY members == ANY members", [:], row))
        #expect(try !permits("NOT ANY members == ANY members", [:], row))
        #expect(try permits("ALL members == ANY {'a', 'b'}", [:], row))
    }

    // MARK: - What is missing

    private static let properties = [
        "owner", "team", "level", "score", "isPublic", "key", "mark", "anything", "members",
    ]
    private static let operators = [
        "==", "!=", "<", "<=", ">", ">=", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==[c]", "!=[c]",
        "CONTAINS[cd]",
    ]
    private static let claims: [[String: ClaimValue]] = [
        [:], ["x": .null], ["x": .object(["y": .string("a")])], ["x": .array([.array([.string("a")])])],
        ["x": .array([.null])],
    ]

    @Test(
        "a comparison with a claim that is missing permits nobody, whatever the operator, the side and the NOTs around it"
    )
    func missingClaims() throws {
        let rows = [
            Row(),
            Row(
                values: ["owner": .string("a"), "team": .string("a"), "level": .int(1), "anything": .string("a")],
                lists: ["members": [.string("a")]]),
        ]
        var cases = 0
        for claims in Self.claims {
            for property in Self.properties {
                for comparator in Self.operators {
                    for quantifier in property == "members" ? ["", "ANY ", "ALL ", "NONE "] : [""] {
                        let comparison = "\(quantifier)\(property) \(comparator) $user.claims.x"
                        let turned = "$user.claims.x \(comparator) \(property)"
                        for text in [
                            comparison, "NOT \(comparison)", "NOT (NOT (\(comparison)))", turned, "NOT \(turned)",
                        ] {
                            // What the grammar refuses never becomes a rule.
                            guard (try? RuleTemplate(text)) != nil else { continue }
                            let rule = try bound(text, claims)
                            let either = try bound("\(text) OR TRUEPREDICATE", claims)
                            for row in rows {
                                cases += 1
                                #expect(!rule.matches(row), "\(text) with \(claims)")
                                #expect(either.matches(row), "\(text) with \(claims)")
                            }
                        }
                    }
                }
            }
        }
        #expect(cases > 3_000)
    }

    @Test(
        "a claim against a constant permits nobody when it is missing or of another type",
        arguments: [
            "$user.claims.x == 'a'", "$user.claims.x != 'a'", "NOT $user.claims.x == 'a'", "NOT $user.claims.x != 'a'",
            "$user.claims.x IN {'a', 'b'}", "NOT $user.claims.x IN {'a', 'b'}", "NOT 'a' IN $user.claims.x",
            "$user.claims.x BEGINSWITH 'a'", "NOT $user.claims.x BEGINSWITH 'a'", "$user.claims.x CONTAINS 'a'",
            "NOT $user.claims.x CONTAINS 'a'", "ALL $user.claims.x != 'a'", "NONE $user.claims.x == 'a'",
            "$user.claims.x == nil", "$user.claims.x != nil", "$user.claims.x == $user.claims.y",
            "$user.claims.x != $user.claims.y", "$user.claims.x != $user.id",
        ])
    func claimsAlone(_ rule: String) throws {
        for claims in Self.claims + [
            ["x": .int(5)], ["x": .bool(true)], ["x": .array([.int(1)])], ["x": .double(.nan)],
        ] {
            #expect(try !permits(rule, claims), "\(claims)")
        }
    }

    @Test("a claim of another type than the property's permits nobody, for != and NOT as well")
    func otherTypes() throws {
        let row = Row(values: ["level": .int(3), "team": .string("a")])
        for rule in [
            "level == $user.claims.x", "level != $user.claims.x", "NOT level == $user.claims.x",
            "level < $user.claims.x",
        ] {
            #expect(try !permits(rule, ["x": .string("3")], row), "\(rule)")
            #expect(try !permits(rule, ["x": .array([.int(3)])], row), "\(rule)")
        }
        #expect(try !permits("team != $user.claims.x", ["x": .int(1)], row))
        #expect(try !permits("NOT team IN $user.claims.x", ["x": .array([.int(1)])], row))
        for claim in [ClaimValue.string("3"), .bool(true), .array([.int(3)]), .null] {
            for rule in ["level + $user.claims.x > 100", "level * 2 < $user.claims.x - 1", "$user.claims.x + 1 > 5"] {
                #expect(try !permits(rule, ["x": claim], row), "\(rule), \(claim)")
                #expect(try !permits("NOT \(rule)", ["x": claim], row), "NOT \(rule), \(claim)")
            }
        }
    }

    @Test("a property of any name does not stand in for a claim that is missing, alone or computed with")
    func propertiesAreNoClaims() throws {
        let row = Row(values: ["level": .int(3), "team": .string("a"), "$user:0": .string("b"), "$user:1": .int(0)])
        for rule in [
            "team != $user.claims.x", "NOT team == $user.claims.x", "team == 'a' AND level != $user.claims.x",
            "team == $user.id AND level + $user.claims.x == 3", "team == 'a' AND level + $user.claims.x == 3",
            "team != $user.id AND level > $user.claims.x", "team != $user.id AND $user.claims.x < 1",
        ] {
            #expect(try !permits(rule, [:], row), "\(rule)")
        }
        #expect(try permits("team != $user.id AND level > $user.claims.x", ["x": .int(2)], row))
    }

    // MARK: - What is there

    @Test("claims stand where values stand")
    func claims() throws {
        let row = Row(
            values: [
                "owner": .string("ann"), "team": .string("red"), "level": .int(3), "score": .double(0.5),
                "maker": .link(.string("ann")),
            ], lists: ["members": [.string("bob"), .string("ann")]])
        for (rule, expected) in [
            ("owner == $user.id", true), ("$user.id == owner", true), ("owner != $user.id", false),
            ("NOT owner == $user.id", false), ("team IN $user.claims.teams", true),
            ("$user.claims.teams CONTAINS team", true), ("NOT team IN $user.claims.teams", false),
            ("level <= $user.claims.level", true), ("level < $user.claims.level", false),
            ("score < $user.claims.level", true), ("$user.id IN members", true), ("ANY members == $user.id", true),
            ("$user.claims.org.role == 'chief'", true), ("$user.claims['org']['role'] == \"chief\"", true),
            ("'red' IN $user.claims.teams", true), ("$user.claims.teams CONTAINS 'blue'", true),
            ("$user.claims.teams CONTAINS 'green'", false), ("NONE $user.claims.teams == 'green'", true),
            ("$user.claims.isChief == true", true), ("$user.email ENDSWITH '@example.org'", true),
            ("level + 1 > $user.claims.level", true), ("maker == $user.id", true),
            ("team == '$user.id'", false), ("owner == $user.id AND level > 5", false),
            ("level BETWEEN $user.claims.span", true),
        ] {
            let granted = try permits(
                rule,
                [
                    "teams": .array([.string("red"), .string("blue")]), "level": .int(3), "isChief": .bool(true),
                    "org": .object(["role": .string("chief")]), "email": .string("ann@example.org"),
                    "span": .array([.int(1), .int(3)]),
                ], row)
            #expect(granted == expected, "\(rule)")
        }
    }

    @Test("a string claim is also the UUID or ObjectId that it spells")
    func identifiers() throws {
        let row = Row(values: [
            "key": .uuid(UUID16(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)),
            "mark": .objectId(ObjectIdentifier12(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567)),
        ])
        #expect(try permits("key == $user.claims.k", ["k": .string("01234567-89ab-cdef-0123-456789abcdef")], row))
        #expect(try !permits("key != $user.claims.k", ["k": .string("01234567-89ab-cdef-0123-456789abcdef")], row))
        #expect(try permits("mark == $user.claims.k", ["k": .string("0123456789abcdef01234567")], row))
        #expect(try !permits("mark != $user.claims.k", ["k": .string("zz")], row))
    }

    @Test(
        "who may read follows from the object itself: a rule through a link permits nobody; for writing it is answered")
    func links() throws {
        #expect(try !permits("NOT maker.age > 3", [:]))
        #expect(try permits("NOT maker.age > 3 OR isPublic == false", [:]))
        let rules = PermissionRules(
            byClass: ["Task": .init(read: .always, write: .when(try RuleTemplate("NOT maker.age > 3")))])
        let bound = try #require(
            Permissions(rules.rules(for: Caller(user: "a", claims: [:], expires: 0))).bound(in: Self.schema)["Task"])
        #expect(bound.write.matches(Row()))
    }

    @Test(
        "texts that mean nothing are refused with a sentence",
        arguments: [
            ("owner == $user", "$user"), ("owner == $user.name", "$user.name"), ("owner == $user.id.x", "$user.id.x"),
            ("owner == $user.claims", "$user.claims"), ("owner ==", "cannot be read"),
            ("maker.$user.id == 'ann'", "no value can stand"), ("$user.claims.x.@count == 0", "no value can stand"),
            ("ANY members == 'a' AND $user.claims.x.@type != 'int'", "no value can stand"),
            ("owner == $user.id AND `$user:0` == 'a'", "no value can stand"),
            ("owner == $user.claims[x]", "brackets"), ("owner == %@", "cannot be read"), ("$user.id", "cannot be read"),
        ])
    func refused(_ text: String, _ word: String) throws {
        let error = #expect(throws: RuleError.self) { try RuleTemplate(text) }
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    // MARK: - The whole of it

    @Test("write follows read, create and delete follow write, and classes without rules follow the default")
    func defaults() throws {
        let caller = Caller(user: "a", claims: [:], expires: 0)
        let rules = PermissionRules(
            byClass: ["Task": .init(read: .never), "Person": .init(read: .always, write: .never, create: .always)],
            otherwise: .init(read: .always, write: .never)
        ).rules(for: caller)
        #expect(rules["Task"] == AccessRules.OfClass(read: .never, create: .never, write: .never, delete: .never))
        #expect(rules["Person"] == AccessRules.OfClass(read: .always, create: .always, write: .never, delete: .never))
        #expect(rules["Else"] == AccessRules.OfClass(read: .always, create: .never, write: .never, delete: .never))
    }

    @Test("the fingerprint is that of what may be read, for this caller, and zero when it is everything")
    func fingerprints() throws {
        func fingerprint(_ rules: PermissionRules, _ user: String = "a") -> UInt64 {
            rules.rules(for: Caller(user: user, claims: [:], expires: 0)).fingerprint
        }
        let own = PermissionRules(byClass: ["Task": .init(read: .when(try RuleTemplate("owner == $user.id")))])
        #expect(fingerprint(PermissionRules()) == 0)
        #expect(fingerprint(PermissionRules(byClass: ["Task": .init(write: .never)])) == 0)
        #expect(fingerprint(own) != 0)
        #expect(fingerprint(own, "a") != fingerprint(own, "b"))
        var written = own
        written.byClass["Task"]?.write = .never
        #expect(fingerprint(own) == fingerprint(written))
        var hidden = own
        hidden.byClass["Task"]?.properties["level"] = .init(read: .never)
        #expect(fingerprint(own) != fingerprint(hidden))
        // Files remember it: it must not depend on the process. It changes with `QueryLanguage.meaning` alone.
        #expect(fingerprint(PermissionRules(otherwise: .init(read: .never))) == 0xC75A_7B37_B9AF_775A)
    }

    @Test("callers with the same claims share one answer, and other rules make another")
    func office() throws {
        let rules = PermissionRules(byClass: ["Task": .init(read: .when(try RuleTemplate("team == $user.claims.team")))]
        )
        let office = PermissionOffice(rules)
        func permissions(_ user: String, _ team: String) -> Permissions? {
            office.permissions(of: Caller(user: user, claims: ["team": .string(team)], expires: 0))
        }
        #expect(permissions("a", "red") === permissions("b", "red"))
        #expect(permissions("a", "red") != permissions("b", "blue"))
        office.replace(by: nil)
        #expect(permissions("a", "red") == nil)
    }

    @Test("who may extend the schema follows from the caller alone, and what is not known permits nobody")
    func extendingTheSchema() throws {
        let caller = Caller(
            user: "ann", claims: ["role": .string("developer"), "teams": .array([.string("red")])], expires: 0)
        func may(_ rule: PermissionRules.Rule) -> Bool {
            PermissionRules(extendSchema: rule).rules(for: caller).mayExtendSchema
        }
        #expect(may(.always) && !may(.never))
        #expect(PermissionRules(otherwise: .init(read: .never)).rules(for: caller).mayExtendSchema)
        for (text, expected) in [
            ("$user.claims.role == 'developer'", true), ("$user.claims.role == 'guest'", false),
            ("'red' IN $user.claims.teams AND NOT $user.claims.role == 'guest'", true), ("$user.id == 'bob'", false),
            ("$user.claims.role == $user.claims.level", false), ("NOT $user.claims.level == 3", false),
            ("$user.claims.level == 3 OR $user.id == 'ann'", true), ("TRUEPREDICATE", true),
        ] {
            let template = try RuleTemplate(text)
            #expect(template.asksCallerAlone, "\(text)")
            #expect(may(.when(template)) == expected, "\(text)")
        }
        for text in [
            "owner == $user.id", "NOT level > 3", "$user.claims.role == 'developer' AND team == 'red'",
            "level + 1 > $user.claims.level", "team.length == $user.claims.level",
        ] {
            let template = try RuleTemplate(text)
            #expect(!template.asksCallerAlone && !may(.when(template)), "\(text)")
        }
    }

    @Test("rules that fit no caller are told, with their place")
    func problems() throws {
        let rules = PermissionRules(byClass: [
            "Nothing": .init(),
            "Place": .init(read: .never),
            "Task": .init(
                read: .when(try RuleTemplate("maker.age > 3")), write: .when(try RuleTemplate("nobody == $user.id")),
                create: .when(try RuleTemplate("level == 'x'")), delete: .when(try RuleTemplate("maker.age > 3")),
                properties: [
                    "_id": .init(read: .never), "none": .init(),
                    "level": .init(write: .when(try RuleTemplate("owner == $user.id AND team == 5"))),
                ]),
        ])
        let found = rules.problems(in: Self.schema)
        #expect(
            found.map(\.key) == [
                "classes.Nothing", "classes.Place", "classes.Task.read", "classes.Task.write", "classes.Task.create",
                "classes.Task.properties._id", "classes.Task.properties.level.write", "classes.Task.properties.none",
            ])
        #expect(
            PermissionRules(byClass: ["Task": .init(read: .when(try RuleTemplate("owner == $user.id")))]).problems(
                in: Self.schema
            ).isEmpty)
    }

    @Test("a rule that compares with NONE of a list is told: some element of a collection may be none of them")
    func noneOfList() throws {
        func problems(_ text: String) throws -> [(key: String, text: String)] {
            PermissionRules(byClass: ["Task": .init(read: .when(try RuleTemplate(text)))]).problems(in: Self.schema)
                .map { ($0.key, $0.message) }
        }
        #expect(try problems("level == NONE {1, 2}").first?.text.contains("NONE path IN") == true)
        #expect(try problems("level == 1 AND NOT (level == NONE {1, 2})").count == 1)
        #expect(try problems("NOT level IN {1, 2}").isEmpty)
    }
}
