import CausewayMerge
package import CausewayModel
package import CausewayOperations

/// A device as a value: what it sees, its clock, and the operations that it makes of what it sees.
package struct Author: Sendable {
    package let client: ClientID
    package private(set) var world = World()
    /// How far its clock has come.
    package var time: UInt64 = 0
    private var counter: UInt64 = 0
    private let join: World.Join

    package static let note = ObjectReference("Note", .int(1))
    package static let other = ObjectReference("Note", .int(2))

    package init(_ client: UInt64, join: @escaping World.Join = World.product) {
        self.client = ClientID(client)
        self.join = join
    }

    /// Does it, if it can be done now; gives the operations of the one changeset that says so.
    package mutating func act(_ intention: Intention) -> [Stamped] {
        time += 1
        let stamp = Stamp(time: time << 16, client: client)
        let actions = operations(of: intention).map { Stamped($0, stamp) }
        world.join(actions, by: join)
        return actions
    }

    /// Learns what somebody else did.
    package mutating func receive(_ actions: [Stamped]) {
        for action in actions { time = max(time, action.stamp.time >> 16) }
        world.join(actions, by: join)
    }

    // MARK: - What it sees

    var state: ObjectState { world[Author.note] ?? ObjectState() }
    var otherState: ObjectState { world[Author.other] ?? ObjectState() }

    func isAlive(_ object: ObjectReference) -> Bool { world[object]?.isAlive ?? false }

    /// Says who wrote it and when, so that what wins can be read.
    ///
    /// The marks that the first two make at one time are one text to Unicode, and two by their bytes. Those of all others
    /// are one number, and as many decimals.
    var mark: Value {
        switch client.rawValue {
        case 1: .string("K\(time)")
        case 2: .string("\u{212A}\(time)")
        case 3: decimal("\(time).0")
        default: decimal("\(time)")
        }
    }

    /// Two elements of a set, each of which every author writes in another way.
    var elements: (a: Value, b: Value) {
        let number = Int(client.rawValue % 3)
        return (decimal(["1", "1.0", "1.00"][number]), .double([0, -0.0, 0][number]))
    }

    /// No number, with a payload of its own.
    var notANumber: Value { .double(Double(nan: client.rawValue % 16, signaling: false)) }

    private func decimal(_ text: String) -> Value {
        guard let number = DecimalNumber(text) else { preconditionFailure("\(text) is no number") }
        return .decimal(number)
    }

    mutating func nextID() -> ElementID { nextIDs(1) }

    mutating func nextIDs(_ count: Int) -> ElementID {
        defer { counter += UInt64(count) }
        return ElementID(client: client, counter: counter + 1)
    }
}
