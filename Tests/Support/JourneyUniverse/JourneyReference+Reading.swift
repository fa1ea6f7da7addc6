import CausewayExactValues
import CausewayMergeOracle
import CausewayModel
import CausewayOperations

// The same texts as `Transaction.readItems` makes of a file.

extension JourneyReference {
    /// Per item, all that a reader sees of it, with everything in it.
    func readItems() -> [Int64: ExactString] {
        guard let items = JourneySchema.schema["Item"] else { return [:] }
        var read: [Int64: ExactString] = [:]
        for (object, merge) in merges where object.className == items.name {
            guard case .int(let name) = object.key else { continue }
            let outcome = merge.outcome
            if outcome.life % 2 == 1 {
                read[name] = ExactString(text(object.key, items, outcome))
            }
        }
        return read
    }

    private func text(_ key: PrimaryKey, _ declared: ClassSchema, _ outcome: NaiveMerge.Outcome) -> String {
        let object = ObjectReference(declared.name, key)
        let parts = declared.properties.map { "\($0.name)=\(text($0, of: object, outcome))" }
        return "{" + parts.joined(separator: " ") + "}"
    }

    private func text(_ property: Property, of object: ObjectReference, _ outcome: NaiveMerge.Outcome) -> String {
        let name = ExactString(property.name)
        let isUnordered = unordered.contains(object)
        switch property.collection {
        case .list:
            let values = (outcome.lists[name] ?? []).map { text($0, property) }
            return "\(isUnordered ? values.inOrderOfBytes : values)"
        case .set: return "\((outcome.entries[name] ?? [:]).keys.map { text($0, property) }.inOrderOfBytes)"
        case .map: return text(outcome.entries[name] ?? [:], property)
        case .none:
            if property.isPrimaryKey, case .int(let key) = object.key { return text(ExactValue(.int(key)), property) }
            if property.isText {
                let text = text(ExactValue(.string(outcome.texts[name]?.string ?? "")), property)
                return isUnordered ? String(text.sorted()) : text
            }
            return text(outcome.fields[name] ?? ExactValue(property.zero), property)
        }
    }

    private func text(_ map: [ExactValue: ExactValue], _ property: Property) -> String {
        let entries = map.map { key, value in
            let name = if case .string(let name) = key.value { name } else { "\(key)" }
            return "\(name): \(text(value, property))"
        }
        return "\(entries.inOrderOfBytes)"
    }

    private func text(_ value: ExactValue, _ property: Property) -> String {
        switch value.value {
        case .null: return "nil"
        case .anyLink(let link):
            guard let kind = NestedCollection(className: link.className),
                let outcome = alive(ObjectReference(link.className, link.key))
            else { return "nil" }
            guard let held = kind.schema.properties.first else { return "nil" }
            return text(held, of: ObjectReference(link.className, link.key), outcome)
        case .link(let key):
            guard let target = property.target.flatMap({ JourneySchema.schema[$0] }),
                let outcome = alive(ObjectReference(target.name, key))
            else { return "nil" }
            return target.kind == .embedded ? text(key, target, outcome) : "→\(key)"
        default: return "\(value)"
        }
    }

    private func alive(_ object: ObjectReference) -> NaiveMerge.Outcome? {
        guard let outcome = merges[object]?.outcome, outcome.life % 2 == 1 else { return nil }
        return outcome
    }
}

extension Property {
    /// What a new object has.
    fileprivate var zero: Value {
        if isOptional { return .null }
        return switch type {
        case .bool: .bool(false)
        case .int: .int(0)
        case .string: .string("")
        default: .null
        }
    }
}

extension [String] {
    /// Of texts that are one to Unicode, too, one comes first.
    var inOrderOfBytes: [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}
