import CausewayModel
import CausewayQuery
import CausewayStore
import CausewayWire

/// What the operator permits, as texts: the server is given them as rules, and the checks put them into queries.
struct SimulationRules: Hashable {
    var name: String
    /// By class, which objects may be read; the others, what may be done to which objects.
    var read: [String: String] = [:]
    var create: [String: String] = [:]
    var write: [String: String] = [:]
    var delete: [String: String] = [:]
    /// By class and property, of which objects it may be read and written.
    var properties: [String: [String: String]] = [:]

    static let everything = SimulationRules(name: "everything")

    /// The counted classes can always be written: what the apps counted must be there in the end.
    static let all = [
        everything,
        SimulationRules(name: "few counts", read: ["Item": "count < 4"], write: ["Item": "count < 4"]),
        SimulationRules(
            name: "flagged notes and liked texts",
            properties: ["Item": ["note": "flag == true", "body": "likes > 1", "labels": "count > 1"]]),
        SimulationRules(name: "no addresses", properties: ["Item": ["address": never, "weight": never]]),
        SimulationRules(
            name: "flagged stay as they are", create: ["Shop": never], write: ["Item": "NOT flag == true"],
            delete: ["Item": never]),
        SimulationRules(
            name: "no shops", read: ["Shop": never, "Ledger": "n != 3"], create: ["Shop": never],
            write: ["Shop": never], delete: ["Shop": never]),
    ]

    static let never = "FALSEPREDICATE"

    // MARK: - For the server

    /// Nil when everything is permitted.
    func permissions() throws -> Permissions? {
        let names = Set(read.keys).union(create.keys).union(write.keys).union(delete.keys).union(properties.keys)
        guard !names.isEmpty else { return nil }
        var byClass: [String: AccessRules.OfClass] = [:]
        for name in names {
            byClass[name] = AccessRules.OfClass(
                read: try Self.rule(read[name]), create: try Self.rule(create[name]), write: try Self.rule(write[name]),
                delete: try Self.rule(delete[name]),
                properties: try (properties[name] ?? [:]).mapValues {
                    AccessRules.OfProperty(read: try Self.rule($0), write: try Self.rule($0))
                })
        }
        return Permissions(AccessRules(byClass: byClass))
    }

    private static func rule(_ text: String?) throws -> AccessRules.Rule {
        switch text {
        case nil: .always
        case never: .never
        case let text?: .when(try Predicate.parse(text))
        }
    }

    // MARK: - For the checks

    /// What a query finds for whom these rules hold: objects that may be read, and by no property that may not be.
    func query(_ query: StandingQuery) -> String {
        let words = Set(query.predicate.split { !$0.isLetter }.map(String.init))
        let asked = (properties[query.className] ?? [:]).filter { words.contains($0.key) }.values.sorted()
        return ([query.predicate] + asked + [read[query.className]].compactMap(\.self)).map { "(\($0))" }
            .joined(separator: " AND ")
    }
}
