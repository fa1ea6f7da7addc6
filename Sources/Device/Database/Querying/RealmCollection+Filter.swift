import CausewayQuery
public import Foundation

extension RealmCollection {
    /// The elements that match a format string.
    ///
    /// ```swift
    /// dogs.filter("age < %@ AND favoriteToy.name BEGINSWITH[c] 'tennis'", 2)
    /// ```
    ///
    /// SORT, DISTINCT and LIMIT may follow the condition. They are applied to the results in the order written:
    ///
    /// ```swift
    /// dogs.filter("age < %@ SORT(age DESC, name ASC) DISTINCT(breed) LIMIT(10)", 2)
    /// ```
    ///
    /// Nothing is read until the results are used, and the results follow every later change. A format string that
    /// cannot be parsed, an unknown property or a value of the wrong type stops the program with a message.
    public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Element> {
        _filter(predicateFormat, arguments)
    }

    func _filter(_ predicateFormat: String, _ arguments: [Any?]) -> Results<Element> {
        let source = _unmanaged == nil ? _source : nil
        source?.instance.checkThread()
        let question = source?.question(predicateFormat, arguments, showing: Element.self)
        if let question, let known = source?.instance.recentQueries.source(question) { return Results(known) }
        let results = _selected(by: reading(\.predicate) { readSelection(predicateFormat, arguments) })
        if let question { source?.instance.recentQueries.keep(question, results._source) }
        return results
    }

    /// The elements that match a predicate: one made from a format string, a constant, or a compound of these.
    ///
    /// ```swift
    /// let puppies = dogs.filter(NSPredicate(format: "age < %@", 2))
    /// ```
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        _filtered(by: reading(\.self) { CausewayQuery.Predicate(predicate) })
    }

    /// The elements that match a condition that the compiler checks.
    ///
    /// ```swift
    /// dogs.where { $0.age < 2 && $0.name.starts(with: "B") }
    /// ```
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        _filtered(by: reading(\.self) { isIncluded(Query<Element>()).condition })
    }

    /// The position of the first element that matches a format string, or nil.
    ///
    /// ```swift
    /// let place = dogs.index(matching: "name == %@", "Rex")
    /// ```
    public func index(matching predicateFormat: String, _ arguments: Any...) -> Int? {
        firstIndex(reading: { readPredicate(predicateFormat, arguments) })
    }

    /// The position of the first element that matches a predicate, or nil.
    ///
    /// ```swift
    /// let place = dogs.index(matching: NSPredicate(format: "name == %@", "Rex"))
    /// ```
    public func index(matching predicate: NSPredicate) -> Int? {
        firstIndex(reading: { CausewayQuery.Predicate(predicate) })
    }

    /// The position of the first element that matches a condition that the compiler checks, or nil.
    ///
    /// ```swift
    /// let place = dogs.index(matching: { $0.name == "Rex" })
    /// ```
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        firstIndex(reading: { isIncluded(Query<Element>()).condition })
    }
}

extension RealmCollection {
    /// A condition, once the objects that it compares with are known to be of this collection's file, and of the classes
    /// that its links lead to.
    private func reading<Condition>(
        _ predicate: KeyPath<Condition, CausewayQuery.Predicate>, _ read: () -> Condition
    ) -> Condition {
        let (condition, objects) = ComparedObjects.collecting(read)
        guard !objects.isEmpty else { return condition }
        if _unmanaged == nil { _source.instance.checkOrigin(of: objects) }
        if let model = _unmanaged == nil
            ? _source.access?.model : (Element.self as? ObjectBase.Type).map(ObjectModel.of)
        {
            condition[keyPath: predicate].checkClasses(of: objects, in: model)
        }
        return condition
    }

    private func firstIndex(reading read: () -> CausewayQuery.Predicate) -> Int? {
        guard _unmanaged != nil else { return _firstIndex(matching: reading(\.self, read)) }
        var objects: [ObjectBase] = []
        let condition = reading(\.self) {
            let found = ComparedObjects.collecting(read)
            objects = found.objects
            ComparedObjects.seen?.value.objects += objects
            return found.condition
        }
        return _firstIndex(matching: condition, comparing: ComparedObjects.origin(of: objects))
    }
}
