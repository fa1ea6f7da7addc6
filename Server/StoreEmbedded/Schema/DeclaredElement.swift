import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Where a class or property comes from, and when a device last declared it.
struct DeclaredElement {
    /// Whose device added it; nil for what was there before this was noted.
    var user: String?
    /// In milliseconds since 1970. `declared` is written at most once in `notedEveryMilliseconds`, so that hellos
    /// seldom write.
    var added: UInt64
    var declared: UInt64

    static let notedEveryMilliseconds: UInt64 = 86_400_000

    /// Whether it is time to note that the element was declared.
    func isStale(at time: UInt64) -> Bool { time >= declared + Self.notedEveryMilliseconds }
}

/// The tree of declared elements, as one transaction sees it.
struct DeclaredTree {
    private let transaction: Transaction

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    /// - Parameter property: nil for the class itself.
    func element(_ className: String, _ property: String? = nil) throws(StoreFailure) -> DeclaredElement? {
        guard let bytes = transaction.tree(Layout.declared).get(Self.key(className, property)) else { return nil }
        do {
            return try DeclaredElement(bytes)
        } catch {
            throw StoreFailure(damaged: Layout.declared, error)
        }
    }

    func put(_ element: DeclaredElement, _ className: String, _ property: String? = nil) {
        transaction.tree(Layout.declared).put(Self.key(className, property), element.encoded())
    }

    func remove(_ className: String, _ property: String) {
        transaction.tree(Layout.declared).remove(Self.key(className, property))
    }

    /// Removes the class and all of its properties.
    func remove(_ className: String) {
        let keys = Self.key(className, nil)
        transaction.tree(Layout.declared).remove(keys)
        // No name of UTF-8 has this byte.
        transaction.tree(Layout.declared).removeRange(from: keys, upTo: keys + [0xFF])
    }

    /// How many classes and properties were added by a user.
    func count(of user: String) throws(StoreFailure) -> (classes: Int, properties: Int) {
        var count = (classes: 0, properties: 0)
        var failure: StoreFailure?
        transaction.tree(Layout.declared).scan { key, value in
            do {
                guard let owner = try DeclaredElement(Array(value)).user, owner.isSame(as: user) else { return true }
                if key.count == 1 + Int(key.first ?? 0) { count.classes += 1 } else { count.properties += 1 }
                return true
            } catch {
                failure = StoreFailure(damaged: Layout.declared, error)
                return false
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Whether any element of the schema must be noted as declared again.
    func isStale(_ schema: Schema, at time: UInt64) throws(StoreFailure) -> Bool {
        for classSchema in schema.classes {
            if try element(classSchema.name)?.isStale(at: time) ?? true { return true }
            for property in classSchema.properties {
                if try element(classSchema.name, property.name)?.isStale(at: time) ?? true { return true }
            }
        }
        return false
    }

    /// Notes that a device has declared the elements of a schema.
    ///
    /// - Parameter before: what was there already; the rest was added by the declarer.
    func note(_ schema: Schema, over before: Schema, by declarer: Declarer) throws(StoreFailure) {
        for classSchema in schema.classes {
            let known = before[classSchema.name]
            try note(classSchema.name, nil, isNew: known == nil, declarer)
            for property in classSchema.properties {
                let isNew = known?.index(of: property.name) == nil
                try note(classSchema.name, property.name, isNew: isNew, declarer)
            }
        }
    }

    /// Notes that a device has declared a schema that is part of the record's, where it is time to.
    ///
    /// - Returns: whether it was.
    func noteIfStale(_ schema: Schema, over before: Schema, by declarer: Declarer?) throws(StoreFailure) -> Bool {
        guard let declarer, try isStale(schema, at: declarer.time) else { return false }
        try note(schema, over: before, by: declarer)
        return true
    }

    /// Notes that no device has declared a property as it is now.
    func noteUndeclared(_ className: String, _ property: String) throws(StoreFailure) {
        guard var element = try element(className, property) else { return }
        element.declared = 0
        put(element, className, property)
    }

    private func note(
        _ className: String, _ property: String?, isNew: Bool, _ declarer: Declarer
    ) throws(StoreFailure) {
        if isNew {
            let element = DeclaredElement(user: declarer.user, added: declarer.time, declared: declarer.time)
            return put(element, className, property)
        }
        guard var element = try element(className, property) else {
            return put(DeclaredElement(user: nil, added: 0, declared: declarer.time), className, property)
        }
        guard element.isStale(at: declarer.time) else { return }
        element.declared = declarer.time
        put(element, className, property)
    }

    private static func key(_ className: String, _ property: String?) -> [UInt8] {
        [UInt8(truncatingIfNeeded: className.utf8.count)] + Array(className.utf8) + Array((property ?? "").utf8)
    }
}

// MARK: - Bytes

extension DeclaredElement {
    fileprivate init(_ bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        added = try reader.readVarint()
        declared = try reader.readVarint()
        user = try reader.readByte() == 0 ? nil : try reader.readString()
    }

    fileprivate func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: added)
        writer.write(varint: declared)
        writer.write(byte: user == nil ? 0 : 1)
        if let user { writer.write(string: user) }
        return writer.bytes
    }
}
