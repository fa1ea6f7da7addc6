import CausewayModel

extension Binder {
    /// `anything.@type == 'string'`, `!=`, `IN {'int', 'double'}`, and one `@type` against another.
    func bindType(_ comparison: Comparison) throws(QueryError) -> BoundPredicate {
        var (left, right) = (comparison.left, comparison.right)
        switch left {
        case .typeOf: break
        // IN has its list on the right.
        default: if comparison.comparator != .in { swap(&left, &right) }
        }
        guard case .typeOf(let path) = left, comparison.options.isEmpty else {
            throw QueryError(
                .comparator, "Invalid predicate: @type is compared by ==, != or IN with names of types",
                remedy: "Write property.@type == 'string'.")
        }
        switch comparison.comparator {
        case .equal, .notEqual, .in: break
        default:
            throw QueryError(
                .comparator, "Invalid operator type: Operator '\(comparison.comparator.text)' not supported for @type",
                remedy: "A type takes ==, != and IN.")
        }
        let resolved = try resolvedMixed(path)
        let quantifier = try quantifier(comparison.quantifier, over: resolved)
        let bound: BoundTypeTest.Right
        switch right {
        case .value(let value) where comparison.comparator != .in: bound = .types(try types([value]))
        case .values(let values) where comparison.comparator == .in: bound = .types(try types(values))
        case .typeOf(let other) where comparison.comparator != .in:
            let other = try resolvedMixed(other)
            guard !other.isToMany else {
                throw QueryError(
                    .comparator, "Comparing two collection columns is not permitted.",
                    remedy: "Write the @type of the collection on the left, and that of a single value on the right.")
            }
            bound = .path(other.bound)
        default:
            throw QueryError(
                .value, "Invalid value: @type is compared with the name of a type",
                remedy: "The names are \(StoredType.names).")
        }
        return .type(
            BoundTypeTest(
                quantifier: quantifier, path: resolved.bound, isNegated: comparison.comparator == .notEqual,
                right: bound))
    }

    private func resolvedMixed(_ path: PropertyPath) throws(QueryError) -> ResolvedPath {
        let resolved = try resolve(path)
        guard resolved.type == .mixed else {
            throw QueryError(
                .property,
                "Invalid keypath: Operation '@type' is not supported on property '\(resolved.name)' of type "
                    + "'\(resolved.shownType)'",
                remedy: "Only a mixed property (AnyRealmValue) holds values of several types.")
        }
        return resolved
    }

    private func types(_ values: [Value]) throws(QueryError) -> Set<StoredType> {
        var found: Set<StoredType> = []
        for value in values {
            guard case .string(let name) = value, let types = StoredType.named(name) else {
                throw QueryError(
                    .value, "Invalid value: '\(value.shown)' is not the name of a type",
                    remedy: "The names are \(StoredType.names).")
            }
            found.formUnion(types)
        }
        return found
    }
}
