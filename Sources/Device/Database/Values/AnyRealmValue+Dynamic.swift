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
