extension AnyRealmValue {
    /// The object that the value links to, with its properties by name; nil when it is no link to a managed object.
    ///
    /// ```swift
    /// let name = dog.companion.dynamicObject?.name as? String
    /// ```
    public var dynamicObject: DynamicObject? {
        guard let object = linkedObject, object._header != nil else { return nil }
        if let dynamic = object as? DynamicObject { return dynamic }
        let access = object._checkedAccess()
        let dynamic = access.instance.dynamicAccess(named: access.model.className)
        return dynamic.object(object._key, as: DynamicObject.self)
    }
}

extension AnyRealmValue {
    /// What the value holds, in its own type; nil for none.
    fileprivate var content: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }
}

/// A value as code that does not know the class sees it: without optional, and a mixed one as what it holds.
func shown(_ value: Any) -> Any? {
    let value = flattened(value)
    return if let mixed = value as? AnyRealmValue { mixed.content } else { value }
}
