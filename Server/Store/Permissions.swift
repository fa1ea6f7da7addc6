package import CausewayModel
package import CausewayQuery
import Synchronization

/// The rules of one caller, with their binding to the current schema.
///
/// Sessions of callers with the same claims share one value, so rules are bound once for all of them and not for each
/// commit.
package final class Permissions: Sendable {
    package let rules: AccessRules
    /// Names what the caller may read; see `AccessRules.fingerprint`.
    package let fingerprint: UInt64
    private let bound = Mutex<(schema: Schema, rules: BoundRules)?>(nil)

    package init(_ rules: AccessRules) {
        self.rules = rules
        fingerprint = rules.fingerprint
    }

    package func bound(in schema: Schema) -> BoundRules {
        if let known = bound.withLock({ $0 }), known.schema == schema { return known.rules }
        let made = BoundRules(rules, in: schema)
        bound.withLock { $0 = (schema, made) }
        return made
    }
}

extension Permissions: Hashable {
    package static func == (left: Permissions, right: Permissions) -> Bool {
        left === right || left.fingerprint == right.fingerprint && left.rules == right.rules
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }
}

/// Rules whose names and types a schema has confirmed.
package struct BoundRules: Sendable {
    private let byClass: [String: OfClass]

    package struct OfClass: Hashable, Sendable {
        package var read: BoundPredicate
        package var create: BoundPredicate
        package var write: BoundPredicate
        package var delete: BoundPredicate
        /// By the property's number in its class; those that can always be read with their object are not in it.
        package var readable: [Int: BoundPredicate]
        package var writable: [Int: BoundPredicate]

        /// Whether no write to the class can be refused.
        package var permitsAllWrites: Bool {
            writable.isEmpty && create == .constant(true) && write == .constant(true) && delete == .constant(true)
        }
    }

    /// Nil for embedded classes, whose objects are part of others, and for classes the schema does not have.
    package subscript(className: String) -> OfClass? { byClass[className] }

    package var permitsAllWrites: Bool { byClass.values.allSatisfy(\.permitsAllWrites) }

    init(_ rules: AccessRules, in schema: Schema) {
        let closed = Closed(rules, schema)
        var byClass: [String: OfClass] = [:]
        for classSchema in schema.classes where classSchema.kind != .embedded {
            byClass[classSchema.name] = Self.bound(rules[classSchema.name], classSchema, schema, closed)
        }
        self.byClass = byClass
    }

    private static func bound(
        _ rules: AccessRules.OfClass, _ classSchema: ClassSchema, _ schema: Schema, _ closed: Closed
    ) -> OfClass {
        let name = classSchema.name
        var result = OfClass(
            read: rules.read.bound(to: name, in: schema, mayUseLinks: false),
            create: rules.create.bound(to: name, in: schema, mayUseLinks: true),
            write: rules.write.bound(to: name, in: schema, mayUseLinks: true),
            delete: rules.delete.bound(to: name, in: schema, mayUseLinks: true), readable: [:], writable: [:])
        for (number, property) in classSchema.properties.enumerated() where !property.isPrimaryKey {
            let rule = rules.properties[property.name]
            var read = rule?.read.bound(to: name, in: schema, mayUseLinks: false) ?? .constant(true)
            var write = rule?.write.bound(to: name, in: schema, mayUseLinks: true) ?? .constant(true)
            if let target = property.target {
                if closed.reading.contains(target) { read = .constant(false) }
                if closed.writing.contains(target) { write = .constant(false) }
            }
            if read != .constant(true) { result.readable[number] = read }
            if write != .constant(true) { result.writable[number] = write }
        }
        return result
    }

    /// Embedded classes that have rules of their own. Nobody can answer such rules, because the objects belong to
    /// others. They do not permit everything: nothing that holds such objects can be read or written. `sync-server
    /// check` reports them.
    private struct Closed {
        var reading: Set<String> = []
        var writing: Set<String> = []

        init(_ rules: AccessRules, _ schema: Schema) {
            let embedded = schema.classes.filter { $0.kind == .embedded }
            for classSchema in embedded {
                guard let own = rules.byClass[classSchema.name] else { continue }
                let properties = own.properties.values
                if own.read != .always || properties.contains(where: { $0.read != .always }) {
                    reading.insert(classSchema.name)
                }
                if [own.create, own.write, own.delete].contains(where: { $0 != .always })
                    || properties.contains(where: { $0.write != .always })
                {
                    writing.insert(classSchema.name)
                }
            }
            Self.spread(&reading, embedded)
            Self.spread(&writing, embedded)
        }

        private static func spread(_ closed: inout Set<String>, _ embedded: [ClassSchema]) {
            var count = -1
            while count != closed.count {
                count = closed.count
                for classSchema in embedded
                where classSchema.properties.contains(where: { $0.target.map(closed.contains) == true }) {
                    closed.insert(classSchema.name)
                }
            }
        }
    }
}
