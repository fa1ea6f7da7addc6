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

/// Which operations of one changeset are refused. A refused operation costs itself and what makes no sense without it:
/// changes of an object whose creation is refused, and of an embedded object whose place is refused.
///
/// Millions may be refused, mostly for a few reasons: each reason is stored once, and a number for each operation.
package struct Verdicts {
    /// The different reasons, in the order in which they were met.
    package private(set) var reasons: [StoreFailure] = []
    /// How many operations are refused.
    package private(set) var count = 0
    private var numbers: [StoreFailure: Int] = [:]
    /// By place in the changeset, up to the last refused operation: the number of its reason plus one, 0 for none.
    private var marks: [UInt32] = []
    private var lastNumber = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package func isRefused(_ operation: Int) -> Bool { operation < marks.count && marks[operation] != 0 }

    /// The number of the reason why an operation is refused; nil for one that is not.
    package func reason(of operation: Int) -> Int? { isRefused(operation) ? Int(marks[operation]) - 1 : nil }

    package mutating func refuse(_ operation: Int, _ failure: StoreFailure) {
        if isRefused(operation) { return }
        refuse(operation, reason: number(of: failure))
    }

    private mutating func refuse(_ operation: Int, reason: Int) {
        if operation >= marks.count {
            marks.append(contentsOf: repeatElement(0, count: operation + 1 - marks.count))
        }
        marks[operation] = UInt32(reason + 1)
        count += 1
    }

    private mutating func number(of failure: StoreFailure) -> Int {
        // Neighbours are mostly refused for one reason.
        if lastNumber < reasons.count, reasons[lastNumber] == failure { return lastNumber }
        lastNumber = numbers[failure] ?? reasons.count
        if lastNumber == reasons.count {
            numbers[failure] = lastNumber
            reasons.append(failure)
        }
        return lastNumber
    }

    /// The places of what is refused, ascending.
    private var places: some Sequence<Int> { marks.indices.lazy.filter { marks[$0] != 0 } }

    /// Refuses what depends on refused operations, for the same reason.
    ///
    /// The order is not fixed: an embedded object is created before it gets its place, and filled at any time.
    ///
    /// - Complexity: O(n), however deep a changeset nests
    package mutating func spread(over operations: [Operation]) {
        var waiting = Array(places)
        guard waiting.contains(where: { operations[$0].mayHaveDependants }) else { return }
        var ofObject: [ObjectReference: [Int]] = [:]
        var inContainer: [PrimaryKey: [Int]] = [:]
        for (index, operation) in operations.enumerated() where !isRefused(index) {
            ofObject[operation.target, default: []].append(index)
            if case .container = operation.target.key { inContainer[operation.target.key, default: []].append(index) }
        }
        var next = 0
        while next < waiting.count {
            let operation = operations[waiting[next]]
            guard let reason = reason(of: waiting[next]) else { preconditionFailure("What waits is refused.") }
            next += 1
            // Removed, so that many operations that refuse the same dependants go over them once.
            var dependants: [Int] = []
            if case .create(let target, _, _) = operation { dependants = ofObject.removeValue(forKey: target) ?? [] }
            for container in operation.heldContainers {
                dependants += inContainer.removeValue(forKey: container) ?? []
            }
            for index in dependants where !isRefused(index) {
                refuse(index, reason: reason)
                waiting.append(index)
            }
        }
    }

    package func accepted(of operations: [Operation]) -> [Operation] {
        if isEmpty { return operations }
        return operations.enumerated().lazy.filter { !isRefused($0.offset) }.map(\.element)
    }

    /// What the refused operations are about, in their order.
    package func targets(in operations: [Operation]) -> some Sequence<ObjectReference> {
        places.lazy.map { operations[$0].target }
    }

    /// What the refused operations are about, and why they are refused, in their order.
    func targetsAndCodes(
        of operations: [Operation]
    ) -> some Sequence<(target: ObjectReference, code: StoreFailure.Code)> {
        places.lazy.map { (target: operations[$0].target, code: reasons[Int(marks[$0]) - 1].code) }
    }

    /// Ranges of neighbouring operations that are refused for the same reason, in their order.
    package var ranges: [(operations: Range<Int>, reason: Int)] {
        var ranges: [(operations: Range<Int>, reason: Int)] = []
        for (place, mark) in marks.enumerated() where mark != 0 {
            if let last = ranges.last, last.reason == Int(mark) - 1, last.operations.upperBound == place {
                ranges[ranges.count - 1].operations = last.operations.lowerBound..<place + 1
            } else {
                ranges.append((place..<place + 1, Int(mark) - 1))
            }
        }
        return ranges
    }

    /// The first refusals, in the order of the operations.
    package func refusals(of operations: [Operation], sequence: UInt64, atMost limit: Int) -> [Refusal] {
        places.prefix(limit).map { place in
            Refusal(
                sequence: sequence, operation: place, target: operations[place].target,
                failure: reasons[Int(marks[place]) - 1])
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
