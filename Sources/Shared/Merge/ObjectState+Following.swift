package import CausewayOperations

extension ObjectState {
    /// Does to a list, set, map or text what the server did.
    ///
    /// - Returns: false if that names what is not here. Then the part is of no use any more.
    package mutating func follow(_ change: PartChange) -> Bool {
        guard isAlive else { return false }
        defer { assertInvariants(change.property) }
        let kind = change.edits.kind
        let (index, isThere) = parts.place(of: change.property, kind.rawValue)
        if !isThere { parts.insert(Part(change.property, Content(kind)), at: index) }
        return parts[index].content.follow(change.edits)
    }
}

extension ObjectState.Content {
    /// Does what the server did.
    ///
    /// - Returns: false if that names what is not here. Then the content is of no use any more.
    package mutating func follow(_ edits: PartEdits) -> Bool {
        switch edits {
        case .list(let edits): changeList { $0.follow(edits) != nil } ?? false
        case .keyed(let edits):
            changeKeyed { entries in
                for edit in edits { entries.follow(edit.edit, stamp: edit.stamp) }
                return true
            } ?? false
        case .text(let edits): changeText { text in edits.allSatisfy { text.follow($0.edit) } } ?? false
        }
    }

    /// Whether nothing shows, whatever is remembered of removed elements.
    package var showsNothing: Bool {
        switch self {
        case .list(let list): list.isEmpty
        case .keyed(let entries): entries.isEmpty
        case .text(let text): text.isEmpty
        }
    }
}

extension PartEdits {
    package var kind: ObjectState.Kind {
        switch self {
        case .list: .list
        case .keyed: .keyed
        case .text: .text
        }
    }
}
