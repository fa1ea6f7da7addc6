package import CausewayModel
package import CausewayOperations

/// Makes the digest of an object: equal on both ends if and only if they hold the same of it.
///
/// PROTOCOL.md, "Digests", is the definition. What counts is what an app sees and what later operations build on: the
/// life, the values, the ids and places of list elements, the runs of texts, and the embedded objects with the same of
/// theirs. Stamps do not count: devices do not keep them. Nor does what has no visible content: an empty list is an
/// empty list, whatever was removed from it, because nothing that is inserted later can stand before or behind it.
///
/// Only the properties of the given schema count, so that an end that knows more can agree with one that knows less.
package struct ObjectDigester {
    private let hash: KeyedHash
    private var shapes: [String: Shape] = [:]
    private let schema: Schema
    private var writer = ByteWriter()

    /// What is digested of one class: its properties, ascending by name.
    private struct Shape {
        struct Part {
            var name: String
            var property: Property
            /// The class of the embedded objects that the values link to.
            var embedded: String?
        }

        var parts: [Part]
    }

    private enum Mark {
        static let field: UInt8 = 1
        static let list: UInt8 = 2
        static let keyed: UInt8 = 3
        static let text: UInt8 = 4
        static let embedded: UInt8 = 5
        static let absent: UInt8 = 6
    }

    /// - Parameters:
    ///   - seed: of the resync; both ends use the same.
    ///   - schema: what the device has declared.
    package init(seed: UInt64, schema: Schema) {
        hash = KeyedHash(key: seed, 0)
        self.schema = schema
    }

    /// The place of a key among all: half of its digest.
    package mutating func place(of key: PrimaryKey) -> UInt64 {
        writer.bytes.removeAll(keepingCapacity: true)
        writer.write(key)
        return hash.digest(of: writer.bytes).low
    }

    /// - Parameter embedded: the state of an object that is embedded in this one; nil if there is none.
    package mutating func digest<Failure: Error>(
        _ object: ObjectReference, _ state: ObjectState,
        embedded: (ObjectReference) throws(Failure) -> ObjectState?
    ) throws(Failure) -> Digest {
        writer.bytes.removeAll(keepingCapacity: true)
        writer.write(object.key)
        writer.write(varint: UInt64(state.life))
        var waiting: [ObjectReference] = []
        write(object.className, state, finding: &waiting)
        // No recursion: other devices decide how deep objects nest. Each object once: they may hold each other in a
        // cycle.
        var seen: Set<ObjectReference> = []
        var next = 0
        while next < waiting.count {
            let part = waiting[next]
            next += 1
            guard seen.insert(part).inserted else { continue }
            guard let state = try embedded(part), state.isAlive else {
                writer.write(byte: Mark.absent)
                continue
            }
            writer.write(byte: Mark.embedded)
            writer.write(string: part.className)
            writer.write(part.key)
            write(part.className, state, finding: &waiting)
        }
        return hash.digest(of: writer.bytes)
    }

    // MARK: - Content

    private mutating func write(_ className: String, _ state: ObjectState, finding found: inout [ObjectReference]) {
        let shape = shape(of: className)
        var field = 0
        for part in shape.parts {
            if part.property.isText {
                guard let text = state.text(part.name), text.count > 0 else { continue }
                begin(part, Mark.text)
                text.write(to: &writer)
            } else if part.property.collection == .list {
                guard let list = state.list(part.name), !list.isEmpty else { continue }
                begin(part, Mark.list)
                list.writePlaces(to: &writer)
                for value in list.values { write(value, part, finding: &found) }
            } else if part.property.collection.isKeyed {
                guard let entries = state.keyed(part.name)?.visible, !entries.isEmpty else { continue }
                begin(part, Mark.keyed)
                writer.write(varint: UInt64(entries.count))
                for entry in entries {
                    write(entry.key, part, finding: &found)
                    if part.property.collection == .map { write(entry.value, part, finding: &found) }
                }
            } else {
                // Both ascend by name.
                while field < state.fields.count, state.fields[field].property.precedes(part.name) { field += 1 }
                guard field < state.fields.count, state.fields[field].property.isSame(as: part.name) else { continue }
                begin(part, Mark.field)
                write(state.fields[field].value, part, finding: &found)
            }
        }
    }

    private mutating func begin(_ part: Shape.Part, _ mark: UInt8) {
        writer.write(byte: mark)
        writer.write(string: part.name)
    }

    private mutating func write(_ value: Value, _ part: Shape.Part, finding found: inout [ObjectReference]) {
        writer.write(value)
        switch value {
        case .link(let key):
            if let className = part.embedded { found.append(ObjectReference(className, key)) }
        case .anyLink(let link) where NestedCollection(className: link.className) != nil:
            found.append(ObjectReference(link.className, link.key))
        default:
            break
        }
    }

    private mutating func shape(of className: String) -> Shape {
        if let shape = shapes[className] { return shape }
        let properties = schema[className]?.properties ?? NestedCollection(className: className)?.schema.properties
        let shape = Shape(
            parts: (properties ?? []).filter { !$0.isPrimaryKey }.sorted { $0.name.precedes($1.name) }.map { property in
                let target = property.target.flatMap { schema[$0] }
                return Shape.Part(
                    name: property.name, property: property, embedded: target?.kind == .embedded ? target?.name : nil)
            })
        shapes[className] = shape
        return shape
    }
}

extension ListState {
    /// Writes the tree of positions with the elements that stand at them, removed and abandoned ones included: they
    /// decide where an insert goes. Values and stamps are left out.
    ///
    /// - Complexity: O(n)
    fileprivate func writePlaces(to writer: inout ByteWriter) {
        var places = [Int](repeating: 0, count: positions.count)
        for (place, number) in order.enumerated() { places[Int(number)] = place }
        writer.write(varint: UInt64(order.count))
        for number in order {
            let position = positions[Int(number)]
            let element = elements[Int(position.element)]
            writer.write(position.id)
            writer.write(varint: position.parent == .none ? 0 : UInt64(places[Int(position.parent)] + 1))
            writer.write(byte: position.isLeft ? 1 : 0)
            writer.write(varint: UInt64(places[Int(element.home)]))
            writer.write(varint: element.isRemoved ? 0 : UInt64(places[Int(element.position)] + 1))
        }
    }
}
