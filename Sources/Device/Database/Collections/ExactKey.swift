import CausewayModel

/// A key of an unmanaged map. Two keys are equal if and only if their bytes are, as in a managed map.
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

/// An element of an unmanaged set. Strings are equal if and only if their bytes are, as in a managed set. Other
/// elements compare with `==`.
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

    // Texts with equal bytes are equal strings, so equal elements have equal hashes.
    func hash(into hasher: inout Hasher) {
        hasher.combine(element)
    }
}
