import CausewayModel
import Foundation

// Properties by name, for all elements at once.

extension RealmCollection {
    /// The property of every element, in order; nil for an empty optional. `self` names the elements themselves.
    ///
    /// ```swift
    /// dogs.value(forKey: "name") as! [String]
    /// ```
    ///
    /// - Complexity: O(n).
    public func value(forKey key: String) -> [Any?] {
        if key == "self" { return map { flattened($0) } }
        return map { element in
            guard let object = element as? ObjectBase else {
                misuse(
                    "Only the elements themselves ('self') can be asked for in a collection of values, not '\(key)'.")
            }
            return object.value(forKey: key)
        }
    }

    /// What a path leads to from every element, or one value of them all when the path begins with an operator.
    ///
    /// ```swift
    /// people.value(forKeyPath: "address.city")    // [Any?] of every person
    /// people.value(forKeyPath: "@max.age")        // Any? for all of them
    /// ```
    ///
    /// The operators are `@count`, `@min`, `@max`, `@sum` and `@avg`; all but the first name a property after them, or
    /// `self` in a collection of values.
    ///
    /// - Complexity: O(n); `@count` is O(1) where the count is.
    public func value(forKeyPath keyPath: String) -> Any? {
        if keyPath == "@count" { return count }
        guard keyPath.hasPrefix("@") else {
            if keyPath == "self" { return value(forKey: keyPath) }
            let values: [Any?] = map { ($0 as? ObjectBase)?.value(forKeyPath: keyPath) }
            return values
        }
        let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { misuse("Unsupported KVC collection operator found in key path '\(keyPath)'") }
        let found: Value? =
            switch parts[0] {
            case "@min": _source.minimum(of: parts[1])
            case "@max": _source.maximum(of: parts[1])
            case "@sum": _source.sum(of: parts[1])
            case "@avg": _source.average(of: parts[1])
            default: misuse("Unsupported KVC collection operator found in key path '\(keyPath)'")
            }
        return found?.shownByName
    }

    /// Sets a property of every element, in a write transaction.
    ///
    /// ```swift
    /// try realm.write { dogs.setValue("tan", forKey: "color") }
    /// ```
    ///
    /// - Complexity: O(n).
    public func setValue(_ value: Any?, forKey key: String) {
        for element in self {
            guard let object = element as? ObjectBase else {
                misuse("Only the elements of a collection of objects have properties to set, such as '\(key)'.")
            }
            object.setValue(value, forKey: key)
        }
    }
}

extension Value {
    /// A number or date as Swift has it; nil for null and for what no operator answers.
    fileprivate var shownByName: Any? {
        switch self {
        case .int: Int(_stored: _StoredValue(self))
        case .float: Float(_stored: _StoredValue(self))
        case .double: Double(_stored: _StoredValue(self))
        case .timestamp: Date(_stored: _StoredValue(self))
        default: nil
        }
    }
}
