import CausewayModel

/// Maps the properties of new objects to values from a collection's elements. See `Realm.create(_:from:_:)`.
///
/// ```swift
/// try realm.write {
///     try realm.create(Dog.self, from: records) { dog in
///         dog.set(\.name, to: \.name)
///         dog.set(\.owner) { owners[$0.ownerNumber] }
///     }
/// }
/// ```
public final class ObjectMapping<Model: ObjectBase, Elements: Collection> {
    /// Makes the values of some elements, from an index on, in memory that is not initialised.
    @usableFromInline
    typealias Making = (Elements, inout Elements.Index, _ count: Int, UnsafeMutableRawPointer) -> Void

    /// A property that was given a function.
    struct Column {
        var values: MappedValues
        var make: Making
    }

    let model: ObjectModel
    /// By position in the class's model.
    private(set) var columns: [Column?]

    init() {
        model = .of(Model.self)
        columns = Array(repeating: nil, count: model.properties.count)
    }

    /// Maps a property to a function of an element. The last call for a property counts.
    ///
    /// ```swift
    /// try realm.write {
    ///     try realm.create(Dog.self, from: records) { dog in dog.set(\.name) { $0.name.capitalized } }
    /// }
    /// ```
    ///
    /// Links may lead to objects of the Realm, or to unmanaged ones, which are added then. The function must not write
    /// to objects of the class that is being created, nor end the transaction.
    ///
    /// - Parameter property: A property of the class itself.
    @inlinable
    public func set<Value: _Persistable>(
        _ property: KeyPath<Model, Value>, to value: @escaping (Elements.Element) -> Value
    ) {
        set(property) { elements, index, count, memory in
            let values = memory.assumingMemoryBound(to: Value.self)
            for position in 0..<count {
                (values + position).initialize(to: value(elements[index]))
                elements.formIndex(after: &index)
            }
        }
    }

    @usableFromInline
    func set<Value: _Persistable>(_ property: KeyPath<Model, Value>, _ make: @escaping Making) {
        let name = _name(for: property)
        guard let position = model.position(of: name) else {
            misuse(
                "Invalid property name '\(name)' for class '\(model.className)': "
                    + "objects are created with properties of their own.")
        }
        columns[position] = Column(values: MappedValues(Value.self), make: make)
    }
}

/// Values of one property for the rows of a leaf, in memory of its own.
final class MappedValues {
    let memory: UnsafeMutableRawPointer
    private var count = 0
    /// One value as the store holds it, for types without a faster way.
    let stored: (UnsafeMutableRawPointer, Int) -> Value
    /// What is left to do with a link or a collection once its object is managed.
    let promotion: (UnsafeMutableRawPointer, Int) -> (ObjectBase, _ column: Int) -> Void
    private let deinitialize: (UnsafeMutableRawPointer, Int) -> Void

    init<V: _Persistable>(_ type: V.Type) {
        memory = .allocate(
            byteCount: slotsPerLeaf * MemoryLayout<V>.stride, alignment: max(16, MemoryLayout<V>.alignment))
        stored = { $0.assumingMemoryBound(to: V.self)[$1]._toStored(nil).value }
        promotion = { memory, position in
            let value = memory.assumingMemoryBound(to: V.self)[position]
            return V._cachesManagedValue()
                ? { V._adopt(value, $0, $1) } : { V._writeManaged($0, $1, value) }
        }
        deinitialize = { $0.assumingMemoryBound(to: V.self).deinitialize(count: $1) }
    }

    deinit {
        forget()
        memory.deallocate()
    }

    /// Takes ownership of this many values, which were made in the memory.
    func made(_ count: Int) {
        self.count = count
    }

    func forget() {
        deinitialize(memory, count)
        count = 0
    }
}
