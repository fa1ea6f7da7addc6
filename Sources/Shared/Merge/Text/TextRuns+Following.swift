import CausewayModel
package import CausewayOperations

extension TextState {
    /// Does what the server did.
    ///
    /// - Returns: false if the operation names what is not here. Then the state is of no use any more.
    package mutating func follow(_ operation: TextOperation) -> Bool {
        guard knowsWhatIsNamed(by: operation) else { return false }
        join(operation)
        return true
    }
}

extension TextRuns {
    /// Whether all scalars that an operation builds on are here. If not, what it does depends on the order of arrival.
    package mutating func knowsWhatIsNamed(by operation: TextOperation) -> Bool {
        switch operation {
        case .insert(let id, let left, let right, let text):
            if knows(left) && knows(right) { return true }
            guard let key = knownKey(id) else { return false }
            return knowsAny(of: key, max(text.scalarCount, 1))
        case .delete(let first, let count): return knowsAll(from: first, count)
        }
    }

    private mutating func knows(_ origin: ElementID?) -> Bool {
        guard let origin else { return true }
        return knownKey(origin).flatMap { find($0) } != nil
    }

    private mutating func knowsAll(from first: ElementID, _ count: Int) -> Bool {
        guard count > 0, var next = knownKey(first),
            case let (end, overflow) = next.counter.addingReportingOverflow(UInt64(count)), !overflow
        else { return false }
        while next.counter < end {
            guard let spot = find(next) else { return false }
            next.counter += UInt64(self[spot.block, spot.piece].count - spot.offset)
        }
        return true
    }
}
