import CausewayModel
import CausewayObjectStore
import Foundation

/// A property of a class in one Realm: the offset of its wrapper in every object, and its column.
///
/// The type is trivial, so a loop over all properties of an object does no reference counting.
struct PropertyPlace {
    let offset: Int
    let column: Int
    /// The index in the model's `properties`.
    let position: Int
    let type: WrapperType

    var isScalar: Bool { type != .link && type != .mapped && type != .mixed && type != .text && !isCollection }

    var isCollection: Bool { type == .list || type == .boxedList }

    // MARK: - Binding

    /// Makes the wrapper of an object read and write the column.
    @inline(__always)
    func bind(_ object: UnsafeMutableRawPointer, _ model: ObjectModel) {
        let wrapper = object + offset
        switch type {
        case .int: Persisted<Int>.bind(wrapper, column)
        case .optionalInt: Persisted<Int?>.bind(wrapper, column)
        case .bool: Persisted<Bool>.bind(wrapper, column)
        case .optionalBool: Persisted<Bool?>.bind(wrapper, column)
        case .double: Persisted<Double>.bind(wrapper, column)
        case .optionalDouble: Persisted<Double?>.bind(wrapper, column)
        case .string: Persisted<String>.bind(wrapper, column)
        case .optionalString: Persisted<String?>.bind(wrapper, column)
        case .date: Persisted<Date>.bind(wrapper, column)
        case .optionalDate: Persisted<Date?>.bind(wrapper, column)
        case .objectId: Persisted<ObjectId>.bind(wrapper, column)
        case .uuid: Persisted<UUID>.bind(wrapper, column)
        case .link: Persisted<Object?>.bind(wrapper, column)
        case .list: Persisted<List<Int>>.bind(wrapper, column)
        case .text: Persisted<Text>.bind(wrapper, column)
        case .float, .optionalFloat, .data, .optionalData, .optionalObjectId, .optionalUUID, .mapped, .mixed,
            .boxedList, .other:
            model.places[position].bind(wrapper, column)
        }
    }

    // MARK: - Making rows

    /// Writes the value of an unmanaged object's property into a new row.
    @inline(__always)
    func enter(_ object: UnsafeMutableRawPointer, _ row: NewRow, _ table: Table, _ model: ObjectModel) {
        let wrapper = object + offset
        if row.isIndexed(column) {
            if type == .string {
                var text = Persisted<String>.unmanagedValue(wrapper) ?? ""
                text.withUTF8 { table.set(row, column, indexed: UnsafeRawBufferPointer($0)) }
            } else {
                // A mixed value may link to another object, so it is written once its own object is managed.
                table.set(row, column, type == .mixed ? .null : value(object, model))
            }
            return
        }
        switch type {
        case .int: enter(wrapper, row, Int.self)
        case .optionalInt: enter(optional: wrapper, row, Int.self)
        case .bool: enter(wrapper, row, Bool.self)
        case .optionalBool: enter(optional: wrapper, row, Bool.self)
        case .double: enter(wrapper, row, Double.self)
        case .optionalDouble: enter(optional: wrapper, row, Double.self)
        case .float: enter(wrapper, row, Float.self)
        case .optionalFloat: enter(optional: wrapper, row, Float.self)
        case .string: enter(wrapper, row, String.self)
        case .optionalString: enter(optional: wrapper, row, String.self)
        case .date: enter(wrapper, row, Date.self)
        case .optionalDate: enter(optional: wrapper, row, Date.self)
        case .data: enter(wrapper, row, Data.self)
        case .optionalData: enter(optional: wrapper, row, Data.self)
        case .objectId: enter(wrapper, row, ObjectId.self)
        case .optionalObjectId: enter(optional: wrapper, row, ObjectId.self)
        case .uuid: enter(wrapper, row, UUID.self)
        case .optionalUUID: enter(optional: wrapper, row, UUID.self)
        case .other: table.set(row, column, value(object, model))
        case .link, .mapped, .list, .boxedList, .mixed: row.setNull(column)
        case .text: "".enter(row, column)
        }
    }

    @inline(__always)
    private func enter<V: RowScalar>(_ wrapper: UnsafeMutableRawPointer, _ row: NewRow, _ type: V.Type) {
        (Persisted<V>.unmanagedValue(wrapper) ?? V._zeroValue()).enter(row, column)
    }

    @inline(__always)
    private func enter<V: RowScalar>(optional wrapper: UnsafeMutableRawPointer, _ row: NewRow, _ type: V.Type) {
        if case .some(.some(let value)) = Persisted<V?>.unmanagedValue(wrapper) {
            value.enter(row, column)
        } else {
            row.setNull(column)
        }
    }

    // MARK: - Making many rows

    /// Whether an unset property starts with a different value in each object.
    var isDrawn: Bool { type == .objectId || type == .uuid }

    /// Writes one value per row into new rows of one leaf. Not for links and lists.
    func enter(_ values: MappedValues, _ count: Int, _ rows: NewRows, _ first: NewRow) {
        let memory = values.memory
        switch type {
        case .int: enterAll(memory, count, first, Int.self)
        case .optionalInt: enterAll(optional: memory, count, first, Int.self)
        case .bool: enterAll(memory, count, first, Bool.self)
        case .optionalBool: enterAll(optional: memory, count, first, Bool.self)
        case .double: enterAll(memory, count, first, Double.self)
        case .optionalDouble: enterAll(optional: memory, count, first, Double.self)
        case .float: enterAll(memory, count, first, Float.self)
        case .optionalFloat: enterAll(optional: memory, count, first, Float.self)
        case .string: enterAll(memory, count, first, String.self)
        case .optionalString: enterAll(optional: memory, count, first, String.self)
        case .date: enterAll(memory, count, first, Date.self)
        case .optionalDate: enterAll(optional: memory, count, first, Date.self)
        case .data: enterAll(memory, count, first, Data.self)
        case .optionalData: enterAll(optional: memory, count, first, Data.self)
        case .objectId: enterAll(memory, count, first, ObjectId.self)
        case .optionalObjectId: enterAll(optional: memory, count, first, ObjectId.self)
        case .uuid: enterAll(memory, count, first, UUID.self)
        case .optionalUUID: enterAll(optional: memory, count, first, UUID.self)
        case .other, .link, .mapped, .mixed, .list, .boxedList, .text:
            for position in 0..<count { rows.set(position, column, values.stored(memory, position)) }
        }
    }

    @inline(__always)
    private func enterAll<V: RowScalar>(
        _ memory: UnsafeMutableRawPointer, _ count: Int, _ first: NewRow, _ type: V.Type
    ) {
        let values = memory.assumingMemoryBound(to: V.self)
        for position in 0..<count { values[position].enter(first.advanced(by: position), column) }
    }

    @inline(__always)
    private func enterAll<V: RowScalar>(
        optional memory: UnsafeMutableRawPointer, _ count: Int, _ first: NewRow, _ type: V.Type
    ) {
        let values = memory.assumingMemoryBound(to: V?.self)
        for position in 0..<count {
            let row = first.advanced(by: position)
            if let value = values[position] { value.enter(row, column) } else { row.setNull(column) }
        }
    }

    // MARK: - Reading unmanaged objects

    /// The object of any class that an unmanaged object links to: see ``WrapperType/link``.
    @inline(__always)
    func linked(_ object: UnsafeMutableRawPointer) -> ObjectBase? {
        guard type == .link, case .some(.some(let linked)) = Persisted<Object?>.unmanagedValue(object + offset) else {
            return nil
        }
        return linked
    }

    /// The scalar that an unmanaged object holds.
    @inline(__always)
    func value(_ object: UnsafeMutableRawPointer, _ model: ObjectModel) -> Value {
        switch type {
        case .int: Persisted<Int>.scalar(object + offset)
        case .string: Persisted<String>.scalar(object + offset)
        case .objectId: Persisted<ObjectId>.scalar(object + offset)
        case .uuid: Persisted<UUID>.scalar(object + offset)
        default: model.places[position].scalar?(object + offset) ?? .null
        }
    }
}

/// A type whose values are written into a new row without conversion to a `Value`.
private protocol RowScalar: _PersistableScalar {
    func enter(_ row: NewRow, _ column: Int)
}

extension Int: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, Int64(self)) }
}

extension Bool: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, self) }
}

extension Double: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, self) }
}

extension Float: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, self) }
}

extension String: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) {
        var text = self
        text.withUTF8 { row.set(column, UnsafeRawBufferPointer($0)) }
    }
}

extension Data: RowScalar {
    fileprivate func enter(_ row: NewRow, _ column: Int) { withUnsafeBytes { row.set(column, $0) } }
}

extension Date: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, Timestamp(self)) }
}

extension ObjectId: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, identifier) }
}

extension UUID: RowScalar {
    @inline(__always)
    fileprivate func enter(_ row: NewRow, _ column: Int) { row.set(column, UUID16(self)) }
}
