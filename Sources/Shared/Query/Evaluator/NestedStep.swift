package import CausewayModel

/// One step into the list or dictionary that a mixed value holds: `any[0]`, `any['key']`, `any[*]`.
package enum NestedStep: Hashable, Sendable {
    /// The element at a position of a list.
    case index(Int)
    /// The value of a key of a dictionary.
    case key(ExactString)
    /// Every element of a list, every value of a dictionary.
    case any
    /// Every key of a dictionary.
    case keys
    /// How many elements there are, or bytes of a text or data. Written as an aggregate; binding the path makes it a step.
    case count
    /// The bytes of each text or data that the steps before it find. It is the last step, and no parser makes it: binding
    /// the path does, of `name.@count` and `names.length`.
    case length

    /// Whether it leads from one value to several.
    var isToMany: Bool { self == .any || self == .keys }
}

/// What a mixed value holds when it is a collection.
package enum NestedContent: Sendable {
    case list([Value])
    /// Keys and their values, in one order.
    case map([String], [Value])
    /// A text or data of so many bytes: it can be counted, and has no elements.
    case bytes(Int)
}

extension NestedContent {
    var values: [Value] {
        switch self {
        case .list(let values), .map(_, let values): values
        case .bytes: []
        }
    }

    /// What one step finds; nothing where a position or key is not there, or the collection is of the other kind.
    fileprivate func values(at step: NestedStep) -> [Value] {
        switch (step, self) {
        case (.any, _): values
        case (.count, .bytes(let count)): [.int(Int64(count))]
        case (.count, _): [.int(Int64(values.count))]
        case (.index(let index), .list(let values)): values.indices.contains(index) ? [values[index]] : []
        case (.key(let key), .map(let names, let values)):
            names.firstIndex { $0.isSame(as: key.string) }.flatMap { values.indices.contains($0) ? [values[$0]] : nil }
                ?? []
        case (.keys, .map(let names, _)): names.map(Value.string)
        case (.index, .map), (.key, .list), (.keys, .list), (.index, .bytes), (.key, .bytes), (.keys, .bytes): []
        case (.length, _): []
        }
    }
}

extension RowSource {
    /// Hands `body` what the steps of a path's end find in mixed values until it answers false. Returns false when it
    /// did.
    ///
    /// Single steps that find nothing give one null. If any step leads to several values, nothing found is no value.
    func walkNested(_ step: BoundPath.Step, _ body: (Value) -> Bool) -> Bool {
        if step.nested.last == .length {
            var measured = step
            measured.nested.removeLast()
            return walk([measured]) { body($0.byteCount.map { .int(Int64($0)) } ?? .null) }
        }
        let isToMany = step.isToMany
        return descend(content(of: step), step.nested[...]) { found in
            guard let found else { return isToMany || body(.null) }
            return body(found)
        }
    }

    /// What the first step goes into: the property's own list or map, or what its one value holds.
    private func content(of step: BoundPath.Step) -> NestedContent? {
        if step.mapKey != nil { return content(of: value(at: step)) }
        switch step.collection {
        case .none: return content(of: value(at: step))
        case .list, .set: return .list(elements(of: step.property, in: step.className))
        case .map:
            let names = elements(of: ~step.property, in: step.className).map { name in
                if case .string(let name) = name { name } else { "" }
            }
            return .map(names, elements(of: step.property, in: step.className))
        }
    }

    private func content(of value: Value) -> NestedContent? { value.byteCount.map { .bytes($0) } ?? nested(in: value) }

    /// - Parameter body: Is handed nil where a step finds nothing.
    private func descend(
        _ content: NestedContent?, _ steps: ArraySlice<NestedStep>, _ body: (Value?) -> Bool
    ) -> Bool {
        guard let step = steps.first else { return true }
        let found = content?.values(at: step) ?? []
        if found.isEmpty { return body(nil) }
        let rest = steps.dropFirst()
        for next in found {
            guard rest.isEmpty ? body(next) : descend(self.content(of: next), rest, body) else { return false }
        }
        return true
    }
}

extension Value {
    /// The bytes of a text or data; nil for other values.
    fileprivate var byteCount: Int? {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        default: nil
        }
    }
}

extension BoundComparison {
    /// Whether it looks into lists or dictionaries inside of mixed values, on either side.
    package var goesIntoMixedValues: Bool {
        if case .path(let other) = operand, other.steps.contains(where: { !$0.nested.isEmpty }) { return true }
        return path.steps.contains { !$0.nested.isEmpty }
    }
}
