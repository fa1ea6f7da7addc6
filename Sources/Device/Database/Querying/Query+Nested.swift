import CausewayModel
import CausewayQuery

// Typed queries on lists and dictionaries inside mixed values.

extension Query where T == AnyRealmValue {
    /// The element at a position of a list inside the value; nil if there is none.
    ///
    /// ```swift
    /// events.where { $0.details["tags"][0] == .string("late") }
    /// ```
    public subscript(index: Int) -> Query<AnyRealmValue> {
        if index < 0 { misuse("The position \(index) of a list in a query is negative.") }
        return nested(.index(index))
    }

    /// The value of a key of a dictionary inside the value; nil if there is none.
    ///
    /// ```swift
    /// events.where { $0.details["gate"] == .int(12) }
    /// ```
    public subscript(key: String) -> Query<AnyRealmValue> { nested(.key(ExactString(key))) }

    /// All elements of a list or values of a dictionary inside the value. A comparison holds when any of them satisfies
    /// it.
    ///
    /// ```swift
    /// events.where { $0.details["tags"].any == .string("late") }
    /// ```
    public var any: Query<AnyRealmValue> { nested(.any) }

    private func nested(_ step: NestedStep) -> Query<AnyRealmValue> {
        var path = path
        if case .key(let key) = step, path.part == nil, path.nested.isEmpty {
            path.part = .value(key)
        } else {
            path.nested.append(step)
        }
        if step == .any { path.isPlural = true }
        return Query<AnyRealmValue>(.path(path))
    }
}

// MARK: - Collections as constants

extension Query {
    /// Whether a mixed value holds a list or a dictionary with just the content of another one.
    func holds(_ collection: AnyRealmValue) -> Query<Bool> {
        let path = path
        guard case .path(let place) = path.expression else { preconditionFailure("the expression of a path is one") }
        let over = Set([path.collection].compactMap { $0 })
        let condition = place.holds(collection)
        return Query<Bool>(.condition(condition, over: over, written: .leaf(condition, isPlural: false)))
    }
}

extension PropertyPath {
    fileprivate func holds(_ value: AnyRealmValue) -> Predicate {
        switch value {
        case .list(let list):
            let elements = list.enumerated().map { appending(.index($0.offset)).holds($0.element) }
            return .all(of: [isOfType("list"), counts(list.count)] + elements)
        case .dictionary(let map):
            let entries = map.entries.flatMap { key, value in
                [hasKey(key), appending(.key(ExactString(key))).holds(value)]
            }
            return .all(of: [isOfType("dictionary"), counts(map.count)] + entries)
        default: return .comparison(Comparison(.path(self), .equal, .value(queryValue(value))))
        }
    }

    private func appending(_ step: NestedStep) -> PropertyPath {
        var path = self
        path.append(step)
        return path
    }

    private func isOfType(_ name: String) -> Predicate {
        .comparison(Comparison(.typeOf(self), .equal, .value(.string(name))))
    }

    private func counts(_ count: Int) -> Predicate {
        var path = self
        path.aggregate = .count
        return .comparison(Comparison(.path(path), .equal, .value(.int(Int64(count)))))
    }

    private func hasKey(_ key: String) -> Predicate {
        .comparison(Comparison(quantifier: .any, .path(appending(.keys)), .equal, .value(.string(key))))
    }
}
