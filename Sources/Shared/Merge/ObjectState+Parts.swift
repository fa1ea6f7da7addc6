package import CausewayModel
package import CausewayOperations

extension ObjectState {
    /// What a property holds besides a single value.
    ///
    /// Fields are separate: they are sent and stored in columns of whole runs of objects (``ObjectRun``), and have one
    /// stamp each. Parts know the history of each of their elements.
    package struct Part: Hashable, Sendable {
        package var property: String
        package var content: Content

        package init(_ property: String, _ content: Content) {
            self.property = property
            self.content = content
        }
    }

    package enum Content: Hashable, Sendable {
        case list(ListState)
        /// A set or a map.
        case keyed(KeyedState)
        case text(TextState)
    }

    /// In the order in which parts are encoded.
    package enum Kind: UInt8, Hashable, Sendable {
        case list
        case keyed
        case text
    }
}

extension Property {
    /// The part that an object's state has for this property; nil if it only has a field.
    package var part: ObjectState.Kind? {
        if collection == .list { return .list }
        if collection.isKeyed { return .keyed }
        return isText ? .text : nil
    }
}

extension ClassSchema {
    /// All columns but the primary key in the order within a state: fields, then parts by kind, each by name.
    package var columnsOfState: [Int] {
        func rank(_ column: Int) -> Int { properties[column].part.map { Int($0.rawValue) + 1 } ?? 0 }
        return properties.indices.filter { !properties[$0].isPrimaryKey }.sorted { left, right in
            let (first, second) = (rank(left), rank(right))
            return first == second ? properties[left].name.precedes(properties[right].name) : first < second
        }
    }
}

extension ObjectState.Content {
    package init(_ kind: ObjectState.Kind) {
        self =
            switch kind {
            case .list: .list(ListState())
            case .keyed: .keyed(KeyedState())
            case .text: .text(TextState())
            }
    }

    package var kind: ObjectState.Kind {
        switch self {
        case .list: .list
        case .keyed: .keyed
        case .text: .text
        }
    }

    package var latestStamp: Stamp {
        switch self {
        case .list(let list): list.latestStamp
        case .keyed(let entries): entries.latestStamp
        case .text: .zero
        }
    }

    /// The elements of a list, or the values or keys of entries (the members of a set are keys), without removed ones.
    /// Empty for a text.
    package func elements(areKeys: Bool = false) -> [Value] {
        switch self {
        case .list(let list): list.visible.map(\.value)
        case .keyed(let entries): entries.visible.map { areKeys ? $0.key : $0.value }
        case .text: []
        }
    }

    // The content is taken out before it is changed: with two owners it would be copied.

    package mutating func changeList<Result>(_ change: (inout ListState) -> Result) -> Result? {
        guard case .list(var list) = self else { return nil }
        self = .list(ListState())
        defer { self = .list(list) }
        return change(&list)
    }

    package mutating func changeKeyed<Result>(_ change: (inout KeyedState) -> Result) -> Result? {
        guard case .keyed(var entries) = self else { return nil }
        self = .keyed(KeyedState())
        defer { self = .keyed(entries) }
        return change(&entries)
    }

    package mutating func changeText<Result>(_ change: (inout TextState) -> Result) -> Result? {
        guard case .text(var text) = self else { return nil }
        self = .text(TextState())
        defer { self = .text(text) }
        return change(&text)
    }
}

extension ObjectState.Content: EncodedState {
    package func write(to writer: inout ByteWriter) {
        switch self {
        case .list(let list): list.write(to: &writer)
        case .keyed(let entries): entries.write(to: &writer)
        case .text(let text): text.write(to: &writer)
        }
    }

    package init(from reader: inout ByteReader) throws(EncodingError) {
        if try KeyedState.isNext(in: reader) {
            self = .keyed(try KeyedState(from: &reader))
        } else if try TextState.isNext(in: reader) {
            self = .text(try TextState(from: &reader))
        } else {
            self = .list(try ListState(from: &reader))
        }
    }
}

// MARK: - Reading

extension ObjectState {
    package subscript(property: String) -> Field? {
        switch fields.place(of: property, 0) {
        case (let index, true): fields[index]
        case (_, false): nil
        }
    }

    package subscript(property: String, kind: Kind) -> Content? {
        switch parts.place(of: property, kind.rawValue) {
        case (let index, true): parts[index].content
        case (_, false): nil
        }
    }

    package func list(_ property: String) -> ListState? {
        if case .list(let list) = self[property, .list] { list } else { nil }
    }

    /// A set or a map.
    package func keyed(_ property: String) -> KeyedState? {
        if case .keyed(let entries) = self[property, .keyed] { entries } else { nil }
    }

    package func text(_ property: String) -> TextState? {
        if case .text(let text) = self[property, .text] { text } else { nil }
    }
}

// MARK: - Writing

extension ObjectState {
    /// Puts a field in its place in the order, replacing the one that is there.
    package mutating func put(_ field: Field) { fields.put(field) }

    package mutating func put(_ part: Part) { parts.put(part) }

    /// Changes a part in place.
    ///
    /// - Returns: nil if there is no such part.
    package mutating func change<Result>(
        _ property: String, _ kind: Kind, _ change: (inout Content) -> Result
    ) -> Result? {
        switch parts.place(of: property, kind.rawValue) {
        case (let index, true): change(&parts[index].content)
        case (_, false): nil
        }
    }
}

// MARK: - Order

/// A field or part: ordered within a state by rank, then by property.
protocol Placed {
    var property: String { get }
    var rank: UInt8 { get }
}

extension ObjectState.Field: Placed {
    var rank: UInt8 { 0 }
}

extension ObjectState.Part: Placed {
    var rank: UInt8 { content.kind.rawValue }
}

extension Placed {
    func precedes(_ other: Self) -> Bool {
        rank == other.rank ? property.precedes(other.property) : rank < other.rank
    }
}

extension Array where Element: Placed {
    var isInPlace: Bool { zip(self, dropFirst()).allSatisfy { $0.precedes($1) } }

    /// The elements in order, each property once. Bytes from outside may name a property twice: the last one stays.
    func inPlace() -> [Element] {
        if isInPlace { return self }
        // Sorts indices, not elements: moving an element costs several reference counts.
        let numbers = indices.sorted {
            self[$0].precedes(self[$1]) || !self[$1].precedes(self[$0]) && $0 < $1
        }
        var result: [Element] = []
        result.reserveCapacity(count)
        for (place, number) in numbers.enumerated() {
            let next = place + 1
            if next < numbers.count, !self[number].precedes(self[numbers[next]]) { continue }
            result.append(self[number])
        }
        return result
    }

    /// Where a property is, or where it belongs.
    func place(of property: String, _ rank: UInt8) -> (index: Int, isThere: Bool) {
        // `isSame` is faster than `precedes`, and most properties that are looked up are there.
        if let index = firstIndex(where: { $0.rank == rank && $0.property.isSame(as: property) }) {
            return (index, true)
        }
        let index = firstIndex { $0.rank == rank ? property.precedes($0.property) : $0.rank > rank }
        return (index ?? count, false)
    }

    mutating func put(_ element: Element) {
        switch place(of: element.property, element.rank) {
        case (let index, true): self[index] = element
        case (let index, false): insert(element, at: index)
        }
    }
}
