import CausewayConversion
import CausewayJournal
import CausewayModel
import CausewaySeeds
import CausewaySession
import CausewayStore
import CausewayStoreReplicated
import CausewayWire

// What operators do to a database that has several nodes.

extension ServerProcess {
    /// A class that no device has: it comes and goes.
    private static let spare = Schema([
        ClassSchema(
            name: "Spare",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "size", type: .int),
                Property(name: "note", type: .string),
            ])
    ])

    private static let emptyMilliseconds: UInt64 = 40
    private static let emptyTries = 20

    /// Something that an operator does on this node.
    func act() {
        guard let node, isUp else { return }
        let name = ExactString(world.random.one(of: ["ghost", "e\u{301}", "\u{e9}"]))
        do {
            switch world.random.below(7) {
            case 0:
                try node.record.shutOut(ShutOut(.user(name), since: clock, note: world.random.one(of: [nil, "gone"])))
            case 1: _ = try node.record.letIn(.user(name))
            case 2: try node.record.extendSchema(Self.spare)
            case 3:
                try node.record.keepOneWayOrder()
                try node.record.liftArrivals(above: UInt64(world.random.below(1_000)))
            case 4: try node.record.savePosition([UInt8(world.random.below(3))], of: name.string)
            case 5:
                let property = world.random.one(of: [nil, "note", "size"])
                restructure { try $0.drop("Spare", property: property) }
            default:
                let wanted = PropertyConversion("Spare", "size", to: world.random.one(of: [.string, .int]))
                restructure { _ = try $0.convert(wanted) }
            }
            world.story.note("an operator does something on \(self.name)")
        } catch {
            // The class is not there, or the journal is away.
            world.story.note("an operator can do nothing on \(self.name): \(error)")
        }
    }

    /// Applies what operators did on other nodes and what needs that no session is open.
    func applyAlone() {
        if let node, node.record.isWaitingToBeAlone { restructure { try $0.catchUpAlone() } }
    }

    /// Runs a change while no session is open, as `Conversations.alone` does.
    private func restructure(_ change: @escaping (StoreReplicated) throws -> Void) {
        let sessions = sessions
        guard sessions.pause(SyncFailure(.serverBusy, "The schema is changed.", retryAfterMilliseconds: 1)) else {
            return
        }
        whenEmpty(sessions, triesLeft: Self.emptyTries, change)
    }

    private func whenEmpty(
        _ sessions: Sessions, triesLeft: Int, _ change: @escaping (StoreReplicated) throws -> Void
    ) {
        after(Self.emptyMilliseconds) { [self] in
            guard sessions.isEmpty || triesLeft == 0 else {
                return whenEmpty(sessions, triesLeft: triesLeft - 1, change)
            }
            defer { sessions.resume() }
            guard let node, sessions.isEmpty else { return }
            do {
                try change(node.record)
                world.story.note("the schema is another one on \(name)")
            } catch {
                world.story.note("the schema stays on \(name): \(error)")
            }
        }
    }
}
