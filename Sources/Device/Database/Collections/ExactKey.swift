import CausewayModel

/// A key of an unmanaged map, which is the same as another one if and only if their bytes are, as in a managed map.
struct ExactKey<Key: _MapKey>: Hashable {
    var key: Key

    init(_ key: Key) {
        self.key = key
    }

    static func == (left: ExactKey, right: ExactKey) -> Bool {
        left.key._mapKey.isSame(as: right.key._mapKey)
    }

    func hash(into hasher: inout Hasher) {
        key._mapKey.hashBytes(into: &hasher)
    }
}

/// An element of an unmanaged set. Strings are one element if and only if their bytes are the same, as in a managed set;
/// what else is equal, the type of the elements says.
struct ExactElement<Element: Hashable>: Hashable {
    var element: Element

    init(_ element: Element) {
        self.element = element
    }

    private var text: String? {
        if let text = element as? String { return text }
        if case .string(let text)? = element as? AnyRealmValue { return text }
        return nil
    }

    static func == (left: ExactElement, right: ExactElement) -> Bool {
        guard left.element == right.element else { return false }
        guard let first = left.text, let second = right.text else { return true }
        return first.isSame(as: second)
    }

    // Equal bytes make an equal text, so what is the same here has the same hash.
    func hash(into hasher: inout Hasher) {
        hasher.combine(element)
    }
}
