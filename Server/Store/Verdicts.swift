import CausewayModel
package import CausewayOperations

/// An operation that the record will never apply: which one, and why.
package struct Refusal: Hashable, Sendable {
    /// The client's changeset, or one-way entry.
    package var sequence: UInt64
    /// The operation's place in it, from 0.
    package var operation: Int
    /// What the operation was about.
    package var target: ObjectReference
    package var failure: StoreFailure

    package init(sequence: UInt64, operation: Int, target: ObjectReference, failure: StoreFailure) {
        self.sequence = sequence
        self.operation = operation
        self.target = target
        self.failure = failure
    }
}

/// Which operations of one changeset are refused. A refused operation costs only itself, and what makes no sense
/// without it: changes of an object whose creation is refused, and of an embedded object whose place is.
package struct Verdicts {
    /// By place in the changeset.
    package private(set) var refused: [Int: StoreFailure] = [:]

    package init() {}

    package var isEmpty: Bool { refused.isEmpty }

    package mutating func refuse(_ operation: Int, _ failure: StoreFailure) {
        if refused[operation] == nil { refused[operation] = failure }
    }

    /// Refuses what depends on refused operations, for the same reason.
    package mutating func spread(over operations: [Operation]) {
        var unspread = refused.keys.sorted()
        while !unspread.isEmpty {
            var objects: [ObjectReference: StoreFailure] = [:]
            var containers: [PrimaryKey: StoreFailure] = [:]
            for index in unspread {
                guard let failure = refused[index] else { continue }
                let operation = operations[index]
                if case .create(let target, _, _) = operation { objects[target] = failure }
                for container in operation.heldContainers { containers[container] = failure }
            }
            unspread = []
            for (index, operation) in operations.enumerated() where refused[index] == nil {
                guard let failure = objects[operation.target] ?? containers[operation.target.key] else { continue }
                refused[index] = failure
                unspread.append(index)
            }
        }
    }

    package func accepted(of operations: [Operation]) -> [Operation] {
        if refused.isEmpty { return operations }
        return operations.enumerated().filter { refused[$0.offset] == nil }.map(\.element)
    }

    /// In the order of the operations.
    package func refusals(of changeset: Changeset) -> [Refusal] {
        refusals(of: changeset.operations, sequence: changeset.sequence)
    }

    package func refusals(of operations: [Operation], sequence: UInt64) -> [Refusal] {
        refused.sorted { $0.key < $1.key }.map { index, failure in
            Refusal(sequence: sequence, operation: index, target: operations[index].target, failure: failure)
        }
    }
}

extension Operation {
    /// The embedded objects and nested collections that the operation's values give a place to.
    fileprivate var heldContainers: [PrimaryKey] {
        switch self {
        case .create(_, _, let fields): fields.compactMap(\.value.container)
        case .set(_, let field): [field.value].compactMap(\.container)
        case .list(_, _, .insert(_, _, _, let value)), .list(_, _, .set(_, let value)): [value].compactMap(\.container)
        case .keyed(_, _, .put(_, let value)): [value].compactMap(\.container)
        case .delete, .list, .keyed, .add, .text: []
        }
    }
}

extension Value {
    fileprivate var container: PrimaryKey? {
        switch self {
        case .link(let key): if case .container = key { key } else { nil }
        case .anyLink(let link): if case .container = link.key { link.key } else { nil }
        default: nil
        }
    }
}
