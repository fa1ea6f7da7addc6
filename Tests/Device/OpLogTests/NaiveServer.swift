import CausewayMerge
import CausewayModel
import CausewayOpLog
import CausewayOperations

/// A server that keeps every version whole and compares them object by object: slow, and plainly what is promised.
final class NaiveServer {
    /// Version n is `versions[n]`.
    private(set) var versions: [[ObjectReference: ObjectState]] = [[:]]
    private(set) var committed: [ClientID: UInt64] = [:]
    private(set) var openings: [ClientID: Openings] = [:]
    private var lastTimes: [ClientID: UInt64] = [:]
    private var touches: [Touch] = []
    /// Who changed an object's life last, in which version.
    private var lifeChanges: [ObjectReference: (version: Int, client: ClientID)] = [:]
    /// Its wall clock in milliseconds.
    var now: UInt64 = 1_000_000

    private struct Touch {
        var version: Int
        var client: ClientID
        var object: ObjectReference
        var root: ObjectReference
        var properties: Set<String>
        var isEffective: Bool
    }

    /// The version that each stamp was set in.
    private var setVersions: [Stamp: Int] = [:]

    var current: [ObjectReference: ObjectState] { versions[versions.count - 1] }

    // MARK: - Uploads

    /// Applies each changeset once, in the client's order.
    func commit(_ changesets: [Changeset]) {
        for changeset in changesets where changeset.sequence == committed[changeset.client, default: 0] + 1 {
            committed[changeset.client] = changeset.sequence
            openings[changeset.client, default: Openings()].note(changeset.opening, from: changeset.sequence)
            commit(changeset)
        }
    }

    private func commit(_ changeset: Changeset) {
        let before = current
        var states = before
        var stamp = changeset.stamp
        // Lowered to the time of receipt, in the client's own order.
        stamp.time = max(min(stamp.time, now << 16 | 0xFFFF), lastTimes[changeset.client, default: 0] + 1)
        lastTimes[changeset.client] = stamp.time
        var effective: [ObjectReference: Bool] = [:]
        var properties: [ObjectReference: Set<String>] = [:]
        for sent in changeset.operations {
            let known = withKnownLife(sent, states, changeset)
            if known != sent { effective[known.target] = false }
            let operation = withKnownBase(known, states, changeset)
            defer { noteSet(operation, states, stamp) }
            let outcome = states[operation.target, default: ObjectState()].join(operation, stamp: stamp)
            effective[operation.target] = effective[operation.target, default: true] && outcome == .applied
            properties[operation.target, default: []].formUnion(named(operation))
        }
        for orphan in orphans(states) {
            // What lost its place against the writer's belief is told; what the writer itself replaced is not.
            if before[orphan]?.isAlive != true { effective[orphan] = false }
            if effective[orphan] == nil { effective[orphan] = true }
            states[orphan] = ObjectState(life: states[orphan]!.life + 1)
        }
        for (object, isEffective) in effective {
            if before[object]?.life != states[object]?.life {
                lifeChanges[object] = (versions.count, changeset.client)
            }
            touches.append(
                Touch(
                    version: versions.count, client: changeset.client, object: object,
                    root: root(of: object, states) ?? root(of: object, before) ?? object,
                    properties: properties[object] ?? [], isEffective: isEffective))
        }
        versions.append(states)
    }

    /// RULES.md O8: a writer who cannot have known an object's past, because it was out of its view, means the next life.
    private func withKnownLife(
        _ operation: Operation, _ states: [ObjectReference: ObjectState], _ changeset: Changeset
    ) -> Operation {
        guard let state = states[operation.target], let change = lifeChanges[operation.target],
            change.version <= Int(changeset.seen(operation.target).rawValue) || change.client == changeset.client
        else { return operation }
        switch operation {
        case .create(let target, let life, let fields) where !state.isAlive && life <= state.life:
            return .create(target, life: state.life + 1, fields: fields)
        case .delete(let target, let life) where state.isAlive && life <= state.life:
            return .delete(target, life: state.life + 1)
        default: return operation
        }
    }

    /// RULES.md C5: an addition counts on the set that stands if its writer has seen that set, or made it.
    private func withKnownBase(
        _ operation: Operation, _ states: [ObjectReference: ObjectState], _ changeset: Changeset
    ) -> Operation {
        guard case .add(let target, let property, let addition) = operation, let state = states[target] else {
            return operation
        }
        let base = state.base(ofAdditionsTo: property)
        let hasSeen =
            base == .zero || base.client == changeset.client
            || setVersions[base].map { $0 <= Int(changeset.seen(target).rawValue) } ?? false
        return .add(target, property: property, Addition(addition.amount, base: hasSeen ? base : .zero))
    }

    private func noteSet(_ operation: Operation, _ states: [ObjectReference: ObjectState], _ stamp: Stamp) {
        guard case .set = operation else { return }
        setVersions[stamp] = versions.count
    }

    private func named(_ operation: Operation) -> [String] {
        switch operation {
        case .create(_, _, let fields): fields.map(\.property)
        case .set(_, let field): [field.property]
        case .list(_, let property, _), .keyed(_, let property, _), .add(_, let property, _), .text(_, let property, _):
            [property]
        case .delete: []
        }
    }

    // MARK: - Embedded objects

    /// Embedded objects that are alive without a living holder.
    private func orphans(_ states: [ObjectReference: ObjectState]) -> [ObjectReference] {
        states.keys.filter { $0.className == "Address" && states[$0]!.isAlive && holder(of: $0, states) == nil }
    }

    private func holder(of object: ObjectReference, _ states: [ObjectReference: ObjectState]) -> ObjectReference? {
        states.first { $0.key.className == "Note" && $0.value["home"]?.value == .link(object.key) && $0.value.isAlive }?
            .key
    }

    private func root(of object: ObjectReference, _ states: [ObjectReference: ObjectState]) -> ObjectReference? {
        object.className == "Address" ? holder(of: object, states) : object
    }

    private func children(
        of object: ObjectReference, _ states: [ObjectReference: ObjectState]
    ) -> [(ObjectReference, ObjectState)] {
        guard case .link(let key) = states[object]?["home"]?.value else { return [] }
        let child = ObjectReference("Address", key)
        guard let state = states[child], state.isAlive else { return [] }
        return [(child, state)]
    }

    // MARK: - Downloads

    /// What brings a device from where it stands to the newest version and to the view it wants.
    func change(for device: Device) throws -> ViewChange {
        let start = Int(try device.state.version.rawValue)
        let (old, new) = (versions[start], current)
        let client = device.client
        let range = touches.filter { $0.version > start }
        var messages: [ViewMessage] = []

        let roots = Set(old.keys).union(new.keys).union(range.map(\.root)).filter { object in
            object.className != "Address" || range.contains { $0.root == object }
        }
        for object in roots.sorted(by: { ($0.className, $0.key) < ($1.className, $1.key) }) {
            let about = range.filter { $0.root == object }
            let isOwnAndEffective = about.allSatisfy { $0.client == client && $0.isEffective }
            let isKnown = about.contains { $0.client == client }
            let before = old[object].map { device.held.contains(object, $0) } ?? false
            let state = new[object] ?? ObjectState()
            let after = device.wanted.contains(object, state)
            switch (state.isAlive, before, after) {
            case (false, _, _):
                if !about.isEmpty, !isOwnAndEffective, before || isKnown {
                    messages.append(.delete(object, life: state.life))
                }
            case (true, _, false):
                if before || isKnown { messages.append(.leave(object)) }
            case (true, false, true):
                if about.isEmpty || !isOwnAndEffective || old[object]?.isAlive == true {
                    enter(object, new, about.map(\.object), &messages)
                }
            case (true, true, true):
                if isOwnAndEffective { continue }
                if old[object]!.life != state.life {
                    enter(object, new, about.map(\.object), &messages)
                } else {
                    update(object, old, new, about, &messages)
                }
            }
        }
        return ViewChange(
            messages: messages, acknowledged: committed[client, default: 0],
            version: ServerVersion(UInt64(versions.count - 1)), view: device.wanted)
    }

    /// All there is and has been, as a resync says it to a device whose past nobody knows.
    func everything(for client: ClientID) -> ViewChange {
        let objects = current.sorted {
            ($0.key.className == "Address" ? 0 : 1, $0.key.className, $0.key.key)
                < ($1.key.className == "Address" ? 0 : 1, $1.key.className, $1.key.key)
        }
        return ViewChange(
            messages: objects.map { object, state in
                state.isAlive ? .enter(object, state) : .delete(object, life: state.life)
            }, acknowledged: committed[client, default: 0], version: ServerVersion(UInt64(versions.count - 1)),
            view: .everything)
    }

    private func enter(
        _ object: ObjectReference, _ new: [ObjectReference: ObjectState], _ touched: [ObjectReference],
        _ messages: inout [ViewMessage]
    ) {
        for (child, state) in children(of: object, new) { messages.append(.enter(child, state)) }
        messages.append(.enter(object, new[object]!))
        for child in Set(touched).sorted(by: { $0.key < $1.key }) where child != object && new[child]?.isAlive != true {
            messages.append(.delete(child, life: new[child]?.life ?? 2))
        }
    }

    private func update(
        _ object: ObjectReference, _ old: [ObjectReference: ObjectState], _ new: [ObjectReference: ObjectState],
        _ about: [Touch], _ messages: inout [ViewMessage]
    ) {
        var properties: [ObjectReference: Set<String>] = [object: []]
        for touch in about { properties[touch.object, default: []].formUnion(touch.properties) }
        // Embedded ones first.
        for (touched, names) in properties.sorted(by: { $0.key.className < $1.key.className }) {
            guard let state = new[touched], state.isAlive else {
                messages.append(.delete(touched, life: new[touched]?.life ?? 2))
                continue
            }
            if old[touched]?.isAlive != true {
                messages.append(.enter(touched, state))
            } else if !names.isEmpty {
                var part = state
                part.fields.removeAll { !names.contains($0.property) }
                part.parts.removeAll { !names.contains($0.property) }
                // What an operation without effect left blank is told, too: it may have had an effect on its device.
                for property in testSchema[touched.className]?.properties ?? [] where names.contains(property.name) {
                    guard let kind = property.part, part[property.name, kind] == nil else { continue }
                    part.put(ObjectState.Part(property.name, ObjectState.Content(kind)))
                }
                messages.append(.update(touched, part))
            }
        }
    }
}
