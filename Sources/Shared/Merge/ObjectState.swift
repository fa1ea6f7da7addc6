package import CausewayModel

/// What the server knows of one object: its life and, per property, the value with the stamp that put it there.
///
/// The same type serves as a device's base copy and, with some properties only, as a change on the wire.
package struct ObjectState: Hashable, Sendable {
    /// Causal length: odd while alive, even once deleted, zero when never seen.
    package var life: UInt32
    /// Ascending by property, so that the order of arrival never shows.
    package var fields: [Field]
    /// Ascending by property.
    package var lists: [ListField]
    /// Sets and maps, ascending by property.
    package var keyed: [KeyedField]
    /// Ascending by property.
    package var texts: [TextField]
    /// What was added to counters since the object was created, ascending by property; a set of a counter ends its part.
    package var sums: [CounterSum] = []
    /// The stamp of the first create of this life; operations older than it belong to an earlier one.
    package var born: Stamp

    package init(
        life: UInt32 = 0, fields: [Field] = [], lists: [ListField] = [], keyed: [KeyedField] = [],
        texts: [TextField] = [], born: Stamp = .zero
    ) {
        self.life = life
        self.fields = ObjectState.ordered(fields, by: \.property)
        self.lists = ObjectState.ordered(lists, by: \.property)
        self.keyed = ObjectState.ordered(keyed, by: \.property)
        self.texts = ObjectState.ordered(texts, by: \.property)
        self.born = born
    }

    /// Ascending by property, each property once. A writer names a property once, but bytes from outside may not: the
    /// last one stays.
    static func ordered<Part>(_ parts: [Part], by property: (Part) -> String) -> [Part] {
        if zip(parts, parts.dropFirst()).allSatisfy({ property($0).precedes(property($1)) }) { return parts }
        // Numbers are sorted, not parts: moving a part costs several counts of references.
        let names = parts.map(property)
        let numbers = parts.indices.sorted {
            names[$0].isSame(as: names[$1]) ? $0 < $1 : names[$0].precedes(names[$1])
        }
        var result: [Part] = []
        result.reserveCapacity(parts.count)
        for (place, number) in numbers.enumerated() {
            let next = place + 1
            if next < numbers.count, names[numbers[next]].isSame(as: names[number]) { continue }
            result.append(parts[number])
        }
        return result
    }

    package var isAlive: Bool { life % 2 == 1 }

    package struct Field: Hashable, Sendable {
        package var property: String
        package var value: Value
        package var stamp: Stamp
        package var isDefault: Bool

        package init(_ property: String, _ value: Value, stamp: Stamp, isDefault: Bool = false) {
            self.property = property
            self.value = value
            self.stamp = stamp
            self.isDefault = isDefault
        }
    }

    /// A set or a map.
    package struct KeyedField: Hashable, Sendable {
        package var property: String
        package var entries: KeyedState

        package init(_ property: String, _ entries: KeyedState) {
            self.property = property
            self.entries = entries
        }
    }

    package struct TextField: Hashable, Sendable {
        package var property: String
        package var text: TextState

        package init(_ property: String, _ text: TextState) {
            self.property = property
            self.text = text
        }
    }

    package struct ListField: Hashable, Sendable {
        package var property: String
        package var list: ListState

        package init(_ property: String, _ list: ListState) {
            self.property = property
            self.list = list
        }
    }
}
