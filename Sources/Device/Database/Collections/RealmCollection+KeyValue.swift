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
        if key == "self" { return map { shown($0) } }
        return map { namedElement($0, key).value(forKey: key) }
    }

    // For contexts that expect an optional, as RealmSwift's method returns: `dogs.value(forKey: "name")!`.
    /// The property of every element, as an optional that is never nil.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any? {
        let values: [Any?] = value(forKey: key)
        return values
    }

    /// The value of a key path for every element, or one value for all of them when the path begins with an operator.
    ///
    /// ```swift
    /// people.value(forKeyPath: "address.city")    // [Any?] of every person
    /// people.value(forKeyPath: "@max.age")        // Any? for all of them
    /// ```
    ///
    /// The operators are `@count`, `@min`, `@max`, `@sum` and `@avg`. `@unionOfObjects` gives all values that are not
    /// nil, `@distinctUnionOfObjects` each of them once. `@unionOfArrays` and `@distinctUnionOfArrays` do the same for
    /// the values in a collection of each element. After every operator but `@count` comes a property, or `self` in a
    /// collection of values.
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
        guard parts.count == 2 else {
            misuse(
                "Missing key path for KVC collection operator \(parts[0].dropFirst()) in key path '\(keyPath)'")
        }
        switch parts[0] {
        case "@unionOfObjects": return union(parts[1])
        case "@distinctUnionOfObjects": return distinct(union(parts[1]))
        case "@unionOfArrays": return unionOfArrays(parts[1])
        case "@distinctUnionOfArrays": return distinct(unionOfArrays(parts[1]))
        default: break
        }
        let found: Value? =
            switch parts[0] {
            case "@min": _aggregated.minimum(of: parts[1])
            case "@max": _aggregated.maximum(of: parts[1])
            case "@sum": _aggregated.sum(of: parts[1])
            case "@avg": _aggregated.average(of: parts[1])
            default: misuse("Unsupported KVC collection operator found in key path '\(keyPath)'")
            }
        return found?.any
    }

    private func union(_ keyPath: String) -> [Any] {
        (value(forKeyPath: keyPath) as? [Any?] ?? []).compactMap { $0 }
    }

    private func unionOfArrays(_ keyPath: String) -> [Any] {
        union(keyPath).flatMap { value -> [Any] in
            guard let elements = value as? any RealmCollection else {
                misuse("'\(keyPath)' is not a collection of each element, as '@unionOfArrays' asks for.")
            }
            return elements.value(forKey: "self").compactMap { $0 }
        }
    }

    private func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in (value as? AnyHashable).map { seen.insert($0).inserted } ?? true }
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

extension RealmCollection where Element: ObjectBase {
    /// Sets a property of every element, in a write transaction. The compiler checks the name and the type.
    ///
    /// ```swift
    /// try realm.write { dogs.setValue(3, for: \.age) }
    /// ```
    ///
    /// - Complexity: O(n).
    public func setValue<Value>(_ value: Value, for keyPath: ReferenceWritableKeyPath<Element, Value>) {
        for element in self { element[keyPath: keyPath] = value }
    }
}

/// An element as the object that a name is asked of. An element that is a value stops the program.
func namedElement(_ element: Any, _ key: String) -> ObjectBase {
    guard let object = element as? ObjectBase else {
        misuse("Only the elements themselves ('self') can be asked for in a collection of values, not '\(key)'.")
    }
    return object
}
