/// A type that `Realm.objects(_:)` finds: a class of objects, or a projection of one.
///
/// ```swift
/// struct Repository<Element: RealmFetchable> {
///     let realm: Realm
///     var all: Results<Element> { realm.objects(Element.self) }
/// }
/// ```
public protocol RealmFetchable: RealmCollectionValue {
    /// Everything of this type in a Realm, as results see it.
    static func _everything(in realm: Realm) -> _ResultsSource
}

extension Realm {
    /// All objects of a class, as a projection shows them, live.
    ///
    /// ```swift
    /// let people = realm.objects(PersonProjection.self).where { $0.firstName == "Jane" }
    /// ```
    ///
    /// A query derived from these results can use the projected properties whose name and type are those of the
    /// object's own property; any other stops the program.
    ///
    /// - Complexity: O(1). Nothing is read until the results are used.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        Results(Element._everything(in: self))
    }
}

extension Object: RealmFetchable {
    /// Everything of this type in a Realm, as results see it.
    public static func _everything(in realm: Realm) -> _ResultsSource {
        realm.instance.checkThread()
        return _ResultsSource(.table, of: realm.instance.access(for: self))
    }
}

extension Projection: RealmFetchable where Root: Object {
    /// Everything of this type in a Realm, as results see it.
    public static func _everything(in realm: Realm) -> _ResultsSource { Root._everything(in: realm) }
}
