package import CausewayModel
package import CausewayOperations

extension ObjectState {
    /// Joins one operation on this object by `RULES.md`, sections 1 to 3.
    ///
    /// - Returns: `.applied` only if all of it took effect; of a create, every field.
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

    /// Joins one operation and tells which properties of it lost: what its writer believes and is not so.
    ///
    /// Nil: it took effect. Empty: the object's life is not what the writer believes.
    package mutating func joinDetailed(_ operation: Operation, stamp: Stamp) -> [String]? {
        switch operation {
        case .create(_, let life, let fields):
            guard let beaten = joinCreate(life, fields, stamp) else { return [] }
            return beaten.isEmpty ? nil : beaten
        case .delete(_, let life):
            return joinDelete(life) == .applied ? nil : []
        case .set(_, let field):
            guard takes(stamp) else { return [] }
            return join(field, stamp) == .applied ? nil : [field.property]
        case .list(_, let property, let operation):
            guard takes(stamp) else { return [] }
            return joinList(property, operation, stamp) == .applied ? nil : [property]
        case .keyed(_, let property, let operation):
            guard takes(stamp) else { return [] }
            return joinKeyed(property, operation, stamp) == .applied ? nil : [property]
        case .add(_, let property, let addition):
            guard takes(stamp) else { return [] }
            return join(addition, to: property) == .applied ? nil : [property]
        case .text(_, let property, let operation):
            guard takes(stamp) else { return [] }
            return joinText(property, operation) == .applied ? nil : [property]
        }
    }

    /// Replaces what is believed here by what the server says, whatever the stamps: life and fields, and collections
    /// and texts whole, for the server may have forgotten what is still here.
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
            switch place(ofField: field.property) {
            case (let index, true): fields[index] = field
            case (let index, false): fields.insert(field, at: index)
            }
            if !sums.isEmpty || !change.sums.isEmpty {
                setSum(of: field.property, to: change.sum(of: field.property))
            }
        }
        for list in change.lists {
            switch place(ofList: list.property) {
            case (let index, true): lists[index] = list
            case (let index, false): lists.insert(list, at: index)
            }
        }
        for entries in change.keyed {
            switch place(ofKeyed: entries.property) {
            case (let index, true): keyed[index] = entries
            case (let index, false): keyed.insert(entries, at: index)
            }
        }
        for text in change.texts {
            switch place(ofText: text.property) {
            case (let index, true): texts[index] = text
            case (let index, false): texts.insert(text, at: index)
            }
        }
    }
}

// MARK: - Life

extension ObjectState {
    /// O6 and O7: whether an operation on properties is for this life.
    private func takes(_ stamp: Stamp) -> Bool {
        isAlive && !(stamp < born)
    }

    /// The properties whose values lost; nil when the whole create came to nothing.
    private mutating func joinCreate(_ life: UInt32, _ created: [FieldValue], _ stamp: Stamp) -> [String]? {
        guard life % 2 == 1, life >= self.life else { return nil }
        defer { assertInvariants() }
        if life > self.life {
            self.life = life
            forget()
            born = stamp
            fields = ObjectState.ordered(
                created.map { Field($0.property, $0.value, stamp: stamp, isDefault: $0.isDefault) }, by: \.property)
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
        lists = []
        keyed = []
        sums = []
        texts = []
        born = .zero
    }
}

// MARK: - Properties

extension ObjectState {
    package subscript(property: String) -> Field? {
        switch place(ofField: property) {
        case (let index, true): fields[index]
        case (_, false): nil
        }
    }

    /// The latest stamp in it: one that a writer who has seen it must go beyond.
    package var latestStamp: Stamp {
        var latest = born
        for field in fields { latest = max(latest, field.stamp) }
        for list in lists { latest = max(latest, list.list.latestStamp) }
        for entries in keyed { latest = max(latest, entries.entries.latestStamp) }
        return latest
    }

    /// A set or a map.
    package func keyed(_ property: String) -> KeyedState? {
        switch place(ofKeyed: property) {
        case (let index, true): keyed[index].entries
        case (_, false): nil
        }
    }

    package func text(_ property: String) -> TextState? {
        switch place(ofText: property) {
        case (let index, true): texts[index].text
        case (_, false): nil
        }
    }

    package func list(_ property: String) -> ListState? {
        switch place(ofList: property) {
        case (let index, true): lists[index].list
        case (_, false): nil
        }
    }

    /// P1 to P5: the greater by (explicit before default, stamp); at equal stamps the one joined last.
    private mutating func join(_ value: FieldValue, _ stamp: Stamp) -> Outcome {
        defer { assertInvariants() }
        let field = Field(value.property, value.value, stamp: stamp, isDefault: value.isDefault)
        switch place(ofField: value.property) {
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
        switch place(ofList: property) {
        case (let index, true):
            return lists[index].list.join(operation, stamp: stamp)
        case (let index, false):
            var list = ListState()
            let outcome = list.join(operation, stamp: stamp)
            // What says nothing about an unknown list leaves no trace of one.
            if outcome == .applied { lists.insert(ListField(property, list), at: index) }
            return outcome
        }
    }

    private mutating func joinKeyed(_ property: String, _ operation: KeyedOperation, _ stamp: Stamp) -> Outcome {
        defer { assertInvariants() }
        switch place(ofKeyed: property) {
        case (let index, true):
            return keyed[index].entries.join(operation, stamp: stamp)
        case (let index, false):
            var entries = KeyedState()
            let outcome = entries.join(operation, stamp: stamp)
            keyed.insert(KeyedField(property, entries), at: index)
            return outcome
        }
    }

    private mutating func joinText(_ property: String, _ operation: TextOperation) -> Outcome {
        defer { assertInvariants(property) }
        switch place(ofText: property) {
        case (let index, true):
            return texts[index].text.join(operation)
        case (let index, false):
            var text = TextState()
            let outcome = text.join(operation)
            // What says nothing about an unknown text leaves no trace of one.
            if outcome == .applied { texts.insert(TextField(property, text), at: index) }
            return outcome
        }
    }

    /// Where a property is, or where it belongs.
    private func place(ofField property: String) -> (index: Int, isThere: Bool) {
        if let index = fields.firstIndex(where: { $0.property.isSame(as: property) }) { return (index, true) }
        return (fields.firstIndex { property.precedes($0.property) } ?? fields.count, false)
    }

    private func place(ofList property: String) -> (index: Int, isThere: Bool) {
        if let index = lists.firstIndex(where: { $0.property.isSame(as: property) }) { return (index, true) }
        return (lists.firstIndex { property.precedes($0.property) } ?? lists.count, false)
    }

    private func place(ofKeyed property: String) -> (index: Int, isThere: Bool) {
        if let index = keyed.firstIndex(where: { $0.property.isSame(as: property) }) { return (index, true) }
        return (keyed.firstIndex { property.precedes($0.property) } ?? keyed.count, false)
    }

    private func place(ofText property: String) -> (index: Int, isThere: Bool) {
        if let index = texts.firstIndex(where: { $0.property.isSame(as: property) }) { return (index, true) }
        return (texts.firstIndex { property.precedes($0.property) } ?? texts.count, false)
    }
}
