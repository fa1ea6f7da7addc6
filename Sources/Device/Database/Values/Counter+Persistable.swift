import CausewayModel
import CausewayObjectStore

// A counter is stored and read as an integer. Only the schema and writing differ: a value that was counted up from the
// stored one is written as the amount that was added.

extension Counter: SortableType, _PersistableScalar, _Indexable, MinMaxType, AddableType, _QueryNumeric {
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    public static var _shape: _PropertyShape { shape(isOptional: false) }

    /// The shape of an optional counter, which schema validation refuses.
    public static var _optionalShape: _PropertyShape { shape(isOptional: true) }

    private static func shape(isOptional: Bool) -> _PropertyShape {
        var shape = _PropertyShape(.int, isOptional: isOptional)
        shape.isCounter = true
        return shape
    }

    public init?(_stored: _StoredValue) {
        guard case .int(let number) = _stored.value else { return nil }
        self.init(value: Int(number), added: nil)
    }

    public var _stored: _StoredValue { _StoredValue(.int(Int64(value))) }

    public static func _zeroValue() -> Counter { Counter() }

    @inlinable
    public static func _readManaged(_ object: ObjectBase, _ column: Int) -> Counter {
        Counter(value: Int._readManaged(object, column), added: 0)
    }

    public static func _writeManaged(_ object: ObjectBase, _ column: Int, _ value: Counter) {
        let access = object._writableAccess()
        guard let added = value.added, access.value(object._key, column) == .int(Int64(value.value &- added)) else {
            return access.write(object._key, column, value._stored.value)
        }
        access.add(added, to: object._key, column)
    }
}

extension _ClassAccess {
    fileprivate func add(_ amount: Int, to key: ObjectKey, _ column: Int) {
        guard amount != 0 else { return }
        table.add(Int64(amount), to: key, column)
        instance.contentChanged()
    }
}

// MARK: - By name

extension DynamicObject {
    /// Adds to a counter of an object whose class the program need not declare.
    ///
    /// ```swift
    /// let page = realm.dynamicObjects("Page")[0]
    /// try realm.write { page.increment("likes", by: 5) }
    /// ```
    ///
    /// A name that is no counter stops the program. Setting the property to a number sets the counter.
    ///
    /// - Parameter amount: May be negative. The sum wraps around at 64 bits.
    public func increment(_ name: String, by amount: Int = 1) {
        let access = _writableAccess()
        guard let column = access.schema.index(of: name), access.schema.properties[column].isCounter else {
            misuse("Property '\(access.model.className).\(name)' is not a counter.")
        }
        access.add(amount, to: _key, column)
    }
}

// MARK: - In queries

extension Query where T == Counter {
    /// The counter equals a number.
    ///
    /// ```swift
    /// let untouched = pages.where { $0.likes == 0 }
    /// ```
    public static func == (left: Query, right: Int) -> Query<Bool> { left == Counter(right) }
    /// The counter differs from a number.
    ///
    /// ```swift
    /// let touched = pages.where { $0.likes != 0 }
    /// ```
    public static func != (left: Query, right: Int) -> Query<Bool> { left != Counter(right) }
    /// The counter is below a number.
    ///
    /// ```swift
    /// let new = pages.where { $0.likes < 10 }
    /// ```
    public static func < (left: Query, right: Int) -> Query<Bool> { left < Counter(right) }
    /// The counter is at most a number.
    ///
    /// ```swift
    /// let quiet = pages.where { $0.likes <= 10 }
    /// ```
    public static func <= (left: Query, right: Int) -> Query<Bool> { left <= Counter(right) }
    /// The counter is above a number.
    ///
    /// ```swift
    /// let liked = pages.where { $0.likes > 100 }
    /// ```
    public static func > (left: Query, right: Int) -> Query<Bool> { left > Counter(right) }
    /// The counter is at least a number.
    ///
    /// ```swift
    /// let famous = pages.where { $0.likes >= 1_000_000 }
    /// ```
    public static func >= (left: Query, right: Int) -> Query<Bool> { left >= Counter(right) }
}
