package import CausewayModel
package import CausewayOperations

extension ObjectState {
    /// Joins one operation on this object by `RULES.md`, sections 1 to 4 and 9.
    ///
    /// - Returns: `.applied` only if all of it took effect; for a create, every field.
    @discardableResult
    package mutating func join(_ operation: Operation, stamp: Stamp) -> Outcome {
        switch operation {
        case .create(_, let life, let fields):
            guard let beaten = joinCreate(life, fields, stamp) else { return .noEffect }
            return beaten.isEmpty ? .applied : .noEffect
        case .delete(_, let life):
            return joinDelete(life)
        case .set(_, let field):
            guard takes(stamp) else { return .noEffect }
            return join(field, stamp)
        case .list(_, let property, let operation):
            guard takes(stamp) else { return .noEffect }
            return joinList(property, operation, stamp)
        case .keyed(_, let property, let operation):
            guard takes(stamp) else { return .noEffect }
            return joinKeyed(property, operation, stamp)
        case .add(_, let property, let addition):
            guard takes(stamp) else { return .noEffect }
            return join(addition, to: property)
        case .text(_, let property, let operation):
            guard takes(stamp) else { return .noEffect }
            return joinText(property, operation)
        }
    }

    /// Replaces this copy by what the server sends, whatever the stamps: life and fields, and collections and texts
    /// whole, because the server may have forgotten what is still here.
    package mutating func overlay(_ change: ObjectState) {
        defer { assertInvariants() }
        if change.life != life {
            self = change
            if !isAlive { forget() }
            return
        }
        guard isAlive else { return }
        if change.born != .zero { born = change.born }
        for field in change.fields {
            put(field)
            if !sums.isEmpty || !change.sums.isEmpty {
                setSum(of: field.property, to: change.sum(of: field.property))
            }
        }
        for part in change.parts { put(part) }
    }
}

// MARK: - Life

extension ObjectState {
    /// O6 and O7: whether an operation on properties is for this life.
    private func takes(_ stamp: Stamp) -> Bool {
        isAlive && !(stamp < born)
    }

    /// The properties whose values lost; nil if the whole create has no effect.
    private mutating func joinCreate(_ life: UInt32, _ created: [FieldValue], _ stamp: Stamp) -> [String]? {
        guard life % 2 == 1, life >= self.life else { return nil }
        defer { assertInvariants() }
        if life > self.life {
            self.life = life
            forget()
            born = stamp
            fields = created.map { Field($0.property, $0.value, stamp: stamp, isDefault: $0.isDefault) }.inPlace()
            return []
        }
        if stamp < born || born == .zero { born = stamp }
        return created.filter { join($0, stamp) == .noEffect }.map(\.property)
    }

    private mutating func joinDelete(_ life: UInt32) -> Outcome {
        guard life % 2 == 0, life > self.life else { return .noEffect }
        self.life = life
        forget()
        return .applied
    }

    private mutating func forget() {
        fields = []
        parts = []
        sums = []
        born = .zero
    }
}

// MARK: - Properties

extension ObjectState {
    /// The latest stamp in the state. A writer who has seen the state uses a later one.
    package var latestStamp: Stamp {
        var latest = born
        for field in fields { latest = max(latest, field.stamp) }
        for part in parts { latest = max(latest, part.content.latestStamp) }
        return latest
    }

    /// P1 to P5: the greater by (explicit before default, stamp); at equal stamps the one joined last.
    private mutating func join(_ value: FieldValue, _ stamp: Stamp) -> Outcome {
        defer { assertInvariants() }
        let field = Field(value.property, value.value, stamp: stamp, isDefault: value.isDefault)
        switch fields.place(of: value.property, field.rank) {
        case (let index, true):
            let current = fields[index]
            if current.isDefault != field.isDefault {
                guard current.isDefault else { return .noEffect }
            } else if stamp < current.stamp {
                return .noEffect
            }
            fields[index] = field
            if !sums.isEmpty, !keepSum(at: index) { return .noEffect }
        case (let index, false):
            fields.insert(field, at: index)
        }
        return .applied
    }

    private mutating func joinList(_ property: String, _ operation: ListOperation, _ stamp: Stamp) -> Outcome {
        defer { assertInvariants(property) }
        return join(property, .list) { $0.changeList { $0.join(operation, stamp: stamp) } }
    }

    private mutating func joinKeyed(_ property: String, _ operation: KeyedOperation, _ stamp: Stamp) -> Outcome {
        defer { assertInvariants() }
        return join(property, .keyed) { $0.changeKeyed { $0.join(operation, stamp: stamp) } }
    }

    private mutating func joinText(_ property: String, _ operation: TextOperation) -> Outcome {
        defer { assertInvariants(property) }
        return join(property, .text) { $0.changeText { $0.join(operation) } }
    }

    /// An operation without effect on an unknown list or text leaves no part. A removal of an unknown key does.
    private mutating func join(_ property: String, _ kind: Kind, _ join: (inout Content) -> Outcome?) -> Outcome {
        let (index, isThere) = parts.place(of: property, kind.rawValue)
        if isThere { return join(&parts[index].content) ?? .noEffect }
        var content = Content(kind)
        let outcome = join(&content) ?? .noEffect
        if outcome == .applied || kind == .keyed { parts.insert(Part(property, content), at: index) }
        return outcome
    }
}
