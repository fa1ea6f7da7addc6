import CausewayModel
import CausewayObjectStore

extension Realm {
    /// All objects of a class by its name, live, for code that does not declare the class.
    ///
    /// ```swift
    /// for dog in realm.dynamicObjects("Dog") { print(dog["name"] as Any) }
    /// ```
    ///
    /// A name that the file does not have stops the program.
    ///
    /// - Complexity: O(1). Nothing is read until the results are used.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        instance.checkThread()
        return Results(_ResultsSource(.table, of: instance.dynamicAccess(named: typeName)))
    }

    /// The object of a class with this primary key, or nil.
    ///
    /// ```swift
    /// let person = realm.dynamicObject(ofType: "Person", forPrimaryKey: 12345)
    /// ```
    ///
    /// - Complexity: O(log n).
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        instance.checkThread()
        let access = instance.dynamicAccess(named: typeName)
        guard let row = access.row(forPrimaryKey: key) else { return nil }
        return access.object(row, as: DynamicObject.self)
    }

    /// Creates an object of a class by its name. Under an update policy, changes the object with that primary key
    /// instead, if there is one.
    ///
    /// ```swift
    /// try realm.write { realm.dynamicCreate("Dog", value: ["name": "Rex"]) }
    /// ```
    ///
    /// It stops the program outside of a write transaction and for values that do not fit, as `create` does.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        instance.checkThread()
        instance.checkTransaction()
        let access = instance.dynamicAccess(named: typeName)
        if access.isEmbedded {
            misuse("Embedded objects cannot be created directly: create them as part of their parent.")
        }
        instance.checkPolicy(access, update)
        return access.object(access.createDynamic(from: value, update: update), as: DynamicObject.self)
    }

    /// Deletes every object of a class by its name.
    ///
    /// ```swift
    /// try realm.write { realm.dynamicDelete("Cat") }
    /// ```
    public func dynamicDelete(_ typeName: String) {
        instance.checkThread()
        instance.checkTransaction()
        let access = instance.dynamicAccess(named: typeName)
        access.delete(access.table.allKeys)
    }
}
