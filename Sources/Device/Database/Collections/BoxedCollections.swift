import CausewayModel

// Collections that a class declares with `let`, see PropertyBox.

extension List: PropertyBox {
    var content: List { self }

    func fill(_ content: List) {
        removeAll()
        append(objectsIn: content)
    }

    var isUntouched: Bool { if case .unmanaged(let elements) = state { elements.isEmpty } else { false } }

    var detached: List? {
        if case .unmanaged(let elements) = state { List(state: .unmanaged(elements)) } else { nil }
    }

    func bind(_ object: ObjectBase, _ column: Int) {
        if let access = object._access { become(ManagedList(object, access, column)) }
    }

    func trace(_ recorder: _PathRecorder) { become(tracing: recorder) }

    func touch() {
        if case .tracing(let recorder) = state { _ = recorder.entered() }
    }
}

extension MutableSet: PropertyBox {
    var content: MutableSet { self }

    func fill(_ content: MutableSet) {
        removeAll()
        insert(objectsIn: content)
    }

    var isUntouched: Bool { if case .unmanaged(let elements, _) = state { elements.isEmpty } else { false } }

    var detached: MutableSet? {
        guard case .unmanaged = state else { return nil }
        return MutableSet(state: state)
    }

    func bind(_ object: ObjectBase, _ column: Int) {
        if let access = object._access { become(ManagedSet(ManagedList(object, access, column))) }
    }

    func trace(_ recorder: _PathRecorder) { become(tracing: recorder) }

    func touch() {
        if case .tracing(let recorder) = state { _ = recorder.entered() }
    }
}

extension Map: PropertyBox {
    var content: Map { self }

    func fill(_ content: Map) {
        removeAll()
        for (key, value) in content.entries { updateValue(value, forKey: key) }
    }

    var isUntouched: Bool { if case .unmanaged(let entries) = state { entries.isEmpty } else { false } }

    var detached: Map? {
        guard case .unmanaged = state else { return nil }
        return Map(state: state)
    }

    func bind(_ object: ObjectBase, _ column: Int) {
        if let access = object._access { become(ManagedMap(ManagedList(object, access, column))) }
    }

    func trace(_ recorder: _PathRecorder) { become(tracing: recorder) }

    func touch() {
        if case .tracing(let recorder) = state { _ = recorder.entered() }
    }
}

extension LinkingObjects: PropertyBox {
    var content: LinkingObjects { self }

    func fill(_ content: LinkingObjects) {}

    var isUntouched: Bool { true }

    var detached: LinkingObjects? { nil }

    /// Here `column` is the position among the class's inverse relations.
    func bind(_ object: ObjectBase, _ column: Int) { declaration?.place = .managed(object.rowHandle, column) }

    func trace(_ recorder: _PathRecorder) { declaration?.place = .tracing(recorder) }

    func touch() {
        if case .tracing(let recorder) = declaration?.place { _ = recorder.entered() }
    }
}

/// The state of an inverse relation that a class declares with `let`. All copies of the constant share it.
final class DeclaredInverse {
    enum Place {
        case unmanaged
        case managed(ObjectBase, Int)
        case tracing(_PathRecorder)
    }
    let property: String
    var place = Place.unmanaged
    /// The query, kept from the first use on for a live object.
    private var source: _ResultsSource?

    init(_ property: String) {
        self.property = property
    }

    /// Several threads may read the objects of a frozen Realm, so these keep nothing.
    func source(_ object: ObjectBase, _ make: () -> _ResultsSource) -> _ResultsSource {
        if let source { return source }
        let made = make()
        if !object.isFrozen { source = made }
        return made
    }
}
