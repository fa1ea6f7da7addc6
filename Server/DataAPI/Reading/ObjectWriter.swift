package import CausewayJSON
import CausewayMerge
import CausewayModel
import CausewayOperations
package import CausewayStore
import CausewaySubscriptions

/// Writes objects of one snapshot as JSON, with what the caller may read of them.
///
/// Used by one thread at a time.
package struct ObjectWriter {
    private let snapshot: any StoreSnapshot
    private let schema: Schema
    private let permissions: Permissions?
    /// The columns that are asked for; nil for all.
    private let columns: Set<Int>?
    private let bytesMax: Int

    /// Devices decide how deep embedded objects nest, and each level is a call. No request writes deeper.
    static let depthMax = 128
    /// No object is written any further once it has so many bytes of JSON: twice a page (`APILimits.pageBytes`). So no
    /// page has more than three times its bound, and one value.
    package static let objectBytesMax = 16 << 20

    package init(
        _ snapshot: any StoreSnapshot, under permissions: Permissions?, columns: Set<Int>? = nil,
        bytesMax: Int = ObjectWriter.objectBytesMax
    ) {
        self.snapshot = snapshot
        schema = snapshot.schema
        self.permissions = permissions
        self.columns = columns
        self.bytesMax = bytesMax
    }

    /// An object with everything that is embedded in it, while it is written.
    private final class Whole {
        let root: ObjectContent
        private let parts: [ObjectReference: ObjectState]
        /// The parts that are written already. Devices may name one in several places, and if each place held it, lists
        /// of lists would double with each level.
        private var written: Set<ObjectReference> = []
        /// How many bytes the writer had before the object.
        let start: Int

        init(root: ObjectContent, parts: [ObjectReference: ObjectState], start: Int) {
            self.root = root
            self.parts = parts
            self.start = start
        }

        func state(of part: ObjectReference) -> ObjectState? { parts[part] }

        /// Whether a part is met for the first time.
        func begin(_ part: ObjectReference) -> Bool { written.insert(part).inserted }
    }

    /// - Precondition: the caller may read the object.
    package func write(_ row: Row, to writer: inout JSONWriter) throws(APIError) {
        guard let classSchema = schema[snapshot.className(row.classNumber)] else { return writer.null() }
        do throws(StoreFailure) {
            var shown = columns ?? Set(classSchema.properties.indices)
            if let permissions { shown.subtract(try permissions.hiddenColumns(of: row, in: snapshot)) }
            guard let whole = try whole(row, shown, classSchema, start: writer.bytes.count) else {
                return writer.null()
            }
            try write(whole, shown, classSchema, to: &writer)
        } catch {
            throw APIError(error)
        }
    }

    private func whole(
        _ row: Row, _ shown: Set<Int>, _ classSchema: ClassSchema, start: Int
    ) throws(StoreFailure) -> Whole? {
        var contents: [ObjectContent] = []
        let mayHold = shown.contains { classSchema.properties[$0].mayHoldParts(in: schema) }
        if columns == nil || mayHold {
            try snapshot.appendWhole(row.classNumber, [row.key], to: &contents)
        } else {
            var numbers = PropertyNumbers()
            for column in shown { numbers.insert(column) }
            try snapshot.appendPart(row, numbers, to: &contents)
        }
        guard let root = contents.popLast() else { return nil }
        let parts = Dictionary(contents.map { ($0.object, $0.state) }) { first, _ in first }
        return Whole(root: root, parts: parts, start: start)
    }

    private func write(
        _ whole: Whole, _ shown: Set<Int>, _ classSchema: ClassSchema, to writer: inout JSONWriter
    ) throws(StoreFailure) {
        writer.open(UInt8(ascii: "{"))
        for (column, property) in classSchema.properties.enumerated() {
            if property.isPrimaryKey {
                writer.name(property.name)
                writer.write(whole.root.object.key)
            } else if shown.contains(column) {
                writer.name(property.name)
                try write(property, of: whole.root.state, whole, depth: 1, to: &writer)
            }
        }
        writer.close(UInt8(ascii: "}"))
        try check(whole, at: writer.bytes.count)
    }

    // MARK: - Properties

    private func write(
        _ property: Property, of state: ObjectState, _ whole: Whole, depth: Int, to writer: inout JSONWriter
    ) throws(StoreFailure) {
        try check(whole, at: writer.bytes.count)
        switch property.collection {
        case .none where property.isText: writer.write(state.text(property.name)?.string ?? "")
        case .none:
            try write(state[property.name]?.value ?? property.zero, property, whole, depth: depth, to: &writer)
        case .list:
            writer.open(UInt8(ascii: "["))
            for value in state.list(property.name)?.values ?? [] {
                try write(value, property, whole, depth: depth + 1, to: &writer)
            }
            writer.close(UInt8(ascii: "]"))
        case .set:
            writer.open(UInt8(ascii: "["))
            for (key, _) in state.keyed(property.name)?.visible ?? [] {
                try check(whole, at: writer.bytes.count)
                writer.write(key, of: property)
            }
            writer.close(UInt8(ascii: "]"))
        case .map:
            let entries = state.keyed(property.name)?.visible ?? []
            try writeMap(entries.map { ($0.key.text, $0.value) }, property, whole, depth: depth + 1, to: &writer)
        }
    }

    private func write(
        _ value: Value, _ property: Property, _ whole: Whole, depth: Int, to writer: inout JSONWriter
    ) throws(StoreFailure) {
        try check(whole, at: writer.bytes.count)
        switch value {
        case .link(let key) where schema.isEmbedded(property.target):
            try write(ObjectReference(property.target ?? "", key), whole, depth: depth, to: &writer)
        case .anyLink(let link):
            guard let kind = NestedCollection(className: link.className) else {
                return writer.write(link: link)
            }
            let reference = ObjectReference(link.className, link.key)
            guard whole.begin(reference) else { return writer.null() }
            let state = whole.state(of: reference) ?? ObjectState()
            try check(depth)
            var nested = kind.schema.properties[NestedCollection.column]
            nested.target = nil
            try write(nested, of: state, whole, depth: depth, to: &writer)
        default: writer.write(value, of: property)
        }
    }

    /// An embedded object; null where it has gone, and where it is written already.
    private func write(
        _ reference: ObjectReference, _ whole: Whole, depth: Int, to writer: inout JSONWriter
    ) throws(StoreFailure) {
        guard let state = whole.state(of: reference), let classSchema = schema[reference.className],
            whole.begin(reference)
        else { return writer.null() }
        try check(depth)
        let hasTags = classSchema.properties.first?.name.isTag ?? false
        writer.openMap(hasTags: hasTags)
        for property in classSchema.properties {
            writer.name(property.name)
            try write(property, of: state, whole, depth: depth + 1, to: &writer)
        }
        writer.closeMap(hasTags: hasTags)
    }

    private func writeMap(
        _ entries: [(key: String, value: Value)], _ property: Property, _ whole: Whole, depth: Int,
        to writer: inout JSONWriter
    ) throws(StoreFailure) {
        let hasTags = entries.contains { $0.key.isTag }
        writer.openMap(hasTags: hasTags)
        for (key, value) in entries {
            writer.name(key)
            try write(value, property, whole, depth: depth, to: &writer)
        }
        writer.closeMap(hasTags: hasTags)
    }

    private func check(_ depth: Int) throws(StoreFailure) {
        guard depth <= Self.depthMax else {
            throw StoreFailure(
                .interrupted,
                "An object nests more than \(Self.depthMax) levels deep, and no more are written. Leave the property out "
                    + "with fields=.")
        }
    }

    private func check(_ whole: Whole, at byte: Int) throws(StoreFailure) {
        guard byte - whole.start <= bytesMax else {
            throw StoreFailure(
                .interrupted,
                "An object has more than \(bytesMax) bytes of JSON, and no more are written. Leave its largest properties "
                    + "out with fields=, and write it without If-Match, or with “*”.")
        }
    }
}

extension Value {
    /// The key of a map's entry.
    fileprivate var text: String { if case .string(let text) = self { text } else { "" } }
}

extension Schema {
    func isEmbedded(_ className: String?) -> Bool { className.flatMap { self[$0] }?.kind == .embedded }
}

extension Property {
    /// Whether its values may be embedded objects or collections with rows of their own.
    fileprivate func mayHoldParts(in schema: Schema) -> Bool { type == .mixed || schema.isEmbedded(target) }
}
