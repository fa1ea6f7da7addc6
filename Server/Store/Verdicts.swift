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
    ///
    /// Neither comes first for certain: an embedded object is created before it is given its place, and filled at any time.
    ///
    /// - Complexity: O(n), however deep a changeset nests
    package mutating func spread(over operations: [Operation]) {
        var waiting = refused.keys.sorted()
        guard waiting.contains(where: { operations[$0].mayHaveDependants }) else { return }
        var ofObject: [ObjectReference: [Int]] = [:]
        var inContainer: [PrimaryKey: [Int]] = [:]
        for (index, operation) in operations.enumerated() where refused[index] == nil {
            ofObject[operation.target, default: []].append(index)
            if case .container = operation.target.key { inContainer[operation.target.key, default: []].append(index) }
        }
        var next = 0
        while next < waiting.count {
            let operation = operations[waiting[next]]
            guard let failure = refused[waiting[next]] else { preconditionFailure("What waits is refused.") }
            next += 1
            // Taken out, so that many who refuse the same go over it once.
            var dependants: [Int] = []
            if case .create(let target, _, _) = operation { dependants = ofObject.removeValue(forKey: target) ?? [] }
            for container in operation.heldContainers {
                dependants += inContainer.removeValue(forKey: container) ?? []
            }
            for index in dependants where refused[index] == nil {
                refused[index] = failure
                waiting.append(index)
            }
        }
    }

    package func accepted(of operations: [Operation]) -> [Operation] {
        if refused.isEmpty { return operations }
        return operations.enumerated().filter { refused[$0.offset] == nil }.map(\.element)
    }

    /// In the order of the operations.
    ///
    /// - Parameter count: how many operations of the changeset, or entry, come before these.
    package func refusals(of operations: [Operation], behind count: Int = 0, sequence: UInt64) -> [Refusal] {
        refused.sorted { $0.key < $1.key }.map { index, failure in
            Refusal(
                sequence: sequence, operation: count + index, target: operations[index].target, failure: failure)
        }
    }
}

extension Operation {
    fileprivate var mayHaveDependants: Bool {
        if case .create = self { true } else { !heldContainers.isEmpty }
    }

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
