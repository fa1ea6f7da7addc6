/// One property to sort by, and in which direction.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).sorted(by: [
///     SortDescriptor(keyPath: "age", ascending: false), "name",
/// ])
/// ```
///
/// The path may cross links to single objects and embedded objects (`"favoriteToy.name"`), never a collection.
/// Foundation has a generic type of the same name. Where both modules are imported, write `Causeway.SortDescriptor` in
/// type annotations.
public struct SortDescriptor: Hashable, Sendable {
    /// The names of the properties to go through, divided by dots.
    ///
    /// ```swift
    /// let order = SortDescriptor(keyPath: "age", ascending: false)
    /// print(order.keyPath, order.ascending ? "up" : "down")
    /// ```
    public let keyPath: String
    /// Whether the smallest value comes first.
    public let ascending: Bool

    /// Orders by a property, or by what a dotted path leads to.
    ///
    /// ```swift
    /// let oldestFirst = SortDescriptor(keyPath: "age", ascending: false)
    /// ```
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Orders by a key path that the compiler checks: `SortDescriptor(keyPath: \Dog.name)`.
    ///
    /// ```swift
    /// let order = SortDescriptor(keyPath: \Dog.name)
    /// ```
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The same property in the other direction.
    ///
    /// ```swift
    /// dogs.sorted(by: [SortDescriptor(keyPath: "age").reversed()])
    /// ```
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    /// Orders by a property, ascending.
    ///
    /// ```swift
    /// let byName: Causeway.SortDescriptor = "name"
    /// ```
    public init(stringLiteral keyPath: String) {
        self.init(keyPath: keyPath)
    }
}

extension SortDescriptor: CustomStringConvertible {
    /// The path and the direction.
    ///
    /// ```swift
    /// print(SortDescriptor(keyPath: "age").description)
    /// ```
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), ascending: \(ascending))"
    }
}
