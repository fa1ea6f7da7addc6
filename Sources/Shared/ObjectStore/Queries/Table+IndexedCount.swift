import CausewayModel
import CausewayQuery

extension Table {
    /// How many objects have one value of an indexed property, where a predicate asks for nothing else; nil for any
    /// other predicate. Counting the chunks of one value costs less than any plan. Not for primary keys, which have an
    /// entrance of their own, and of which older files may have an index that is not kept up to date.
    func indexedCount(_ predicate: BoundPredicate) -> Int? {
        guard case .comparison(let comparison) = predicate, comparison.comparator == .equal, comparison.options.isEmpty,
            comparison.quantifier == .implied, comparison.path.aggregate == nil, comparison.path.steps.count == 1,
            let step = comparison.path.steps.first, step.isColumn, step.type != .mixed, step.type != .object,
            case .value(let value) = comparison.operand, value.isNull || value.hasType(step.type), !value.isNaN,
            !schema.properties[step.property].isPrimaryKey, let index = columns[step.property].index
        else { return nil }
        transaction.settle()
        let range = IndexRange(value, transaction.keyBuffer)
        guard range.isExact else { return nil }
        var (chunkCount, rowCount) = (0, 0)
        guard index.count(range, in: transaction, upTo: .max, &chunkCount, &rowCount) else { return nil }
        return rowCount
    }
}
