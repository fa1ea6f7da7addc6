import CausewayModel
import CausewaySeeds
import CausewayStore

/// What each device may do at the moment: two groups of them, each under rules of its own. It is configuration, so that
/// it outlives the server's process and is none of the record.
struct ServerAccess {
    private var rules = [SimulationRules.everything, .everything]
    private var permissions: [Permissions?] = [nil, nil]
    /// Whether anything was ever not permitted.
    private(set) var wasRestricted = false

    private func group(of client: ClientID) -> Int { Int(client.rawValue % 2) }

    func rules(of client: ClientID) -> SimulationRules { rules[group(of: client)] }

    func permissions(of client: ClientID) -> Permissions? { permissions[group(of: client)] }

    /// The operator decides otherwise about one group.
    ///
    /// - Returns: what became of it, for the story.
    mutating func change(_ random: inout SeededNumbers) throws -> String {
        let group = random.below(rules.count)
        let chosen = random.one(of: SimulationRules.all)
        rules[group] = chosen
        permissions[group] = try chosen.permissions()
        wasRestricted = wasRestricted || chosen != .everything
        return "group \(group) may now do: \(chosen.name)"
    }
}
