/// What belongs to one Realm and may be used only where that Realm may.
public protocol ThreadConfined {
    /// The Realm it belongs to; nil while unmanaged.
    var realm: Realm? { get }

    /// Whether it can no longer be used.
    var isInvalidated: Bool { get }

    /// Whether it belongs to a frozen Realm.
    var isFrozen: Bool { get }
}

extension ObjectBase: ThreadConfined {}
