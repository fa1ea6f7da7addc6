import CausewayModel
import CausewayObjectStore
import CausewayQuery

/// What an aggregate goes over: what a source shows, or the elements of a collection that no Realm manages.
enum Aggregated {
    case stored(_ResultsSource)
    case unmanaged([Any], areMixed: Bool)

    func minimum<T: MinMaxType>(of property: String) -> T? { typed(minimum(of: property)) }

    func maximum<T: MinMaxType>(of property: String) -> T? { typed(maximum(of: property)) }

    func sum<T: AddableType>(of property: String) -> T { typed(sum(of: property)) ?? T._zeroValue() }

    func average<T: AddableType>(of property: String) -> T? { typed(average(of: property)) }

    private func typed<T: _AggregateType>(_ value: Value?) -> T? {
        guard let value, !value.isNull else { return nil }
        return T._aggregated(_StoredValue(value), links) ?? value.number()
    }

    private var links: _ClassAccess? {
        if case .stored(let source) = self { source.links } else { nil }
    }
}

extension RealmCollection {
    var _aggregated: Aggregated {
        if let elements = _unmanaged { return .unmanaged(elements, areMixed: Element._shape.type == .mixed) }
        return .stored(_source)
    }
}

extension RealmKeyedCollection {
    var _aggregated: Aggregated {
        if let values = _unmanagedValues { return .unmanaged(values, areMixed: Value._shape.type == .mixed) }
        return .stored(_source)
    }
}

// MARK: - The values

extension Aggregated {
    /// What is asked of the elements, looked up once for an aggregate.
    private struct Subject {
        let property: String
        let isMixed: Bool
        /// From each object of a Realm; nil where the elements are values, or no Realm manages them.
        var path: BoundPath?
    }

    /// What a property is, once its type is known to have the aggregate.
    private func subject(_ property: String, for operation: String) -> Subject {
        switch self {
        case .unmanaged(let elements, let areMixed):
            guard property != "self", let object = elements.first.flatMap(flattened) as? ObjectBase else {
                return Subject(property: property, isMixed: areMixed)
            }
            let found = ObjectModel.of(type(of: object)).property(at: property)
            return Subject(property: property, isMixed: found?.shape.type == .mixed)
        case .stored(let source):
            let type = source.access?.aggregatedProperty(property).type ?? source.valueProperty?.property.type
            let hasExtremes = operation == "min" || operation == "max"
            switch type {
            case nil, .int, .float, .double, .decimal128, .mixed: break
            case .date where hasExtremes: break
            default: refuse(operation, of: property)
            }
            let path = source.access.map { $0.columnPath(property) }
            return Subject(property: property, isMixed: type == .mixed, path: path)
        }
    }

    private func refuse(_ operation: String, of property: String) -> Never {
        var place = "'\(property)'"
        if case .stored(let source) = self {
            if let access = source.access {
                let found = access.aggregatedProperty(property)
                place = "\(found.type.word) property '\(found.className).\(found.name)'"
            } else if let (owner, found) = source.valueProperty {
                let kind = found.collection == .list ? "list" : found.collection.word
                place = "\(found.type.word) \(kind) '\(owner).\(found.name)'"
            }
        }
        misuse("Operation '\(operation)' not supported for \(place)")
    }

    /// The aggregate by column, or of mixed values; nil where the elements are other values, or their type has none.
    private func aggregate(_ aggregate: Aggregate, of subject: Subject) -> Value? {
        if subject.isMixed {
            var fold = AggregateFold(aggregate, over: .mixed)
            forEachValue(of: subject) { fold.add($0) }
            return fold.result
        }
        guard case .stored(let source) = self, let path = subject.path else { return nil }
        return source.columnAggregate(aggregate, of: path)
    }

    /// Calls the body with every value of a property that is not null.
    private func forEachValue(of subject: Subject, _ body: (Value) -> Void) {
        switch self {
        case .stored(let source):
            guard let access = source.access, let path = subject.path else {
                for value in source.values where !value.isNull { body(value) }
                return
            }
            for key in source.keys {
                let value = access.value(key, at: path)
                if !value.isNull { body(value) }
            }
        case .unmanaged(let elements, _):
            for case let element? in elements.map(flattened) {
                let found: Any? =
                    subject.property == "self"
                    ? element : namedElement(element, subject.property).value(forKeyPath: subject.property)
                let value = (found as? AnyRealmValue)?._toStored(nil).value ?? found.flatMap(storedValue)
                if let value, !value.isNull { body(value) }
            }
        }
    }

    /// A NaN is no extreme: it is passed over, as null is.
    private func extreme(of subject: Subject, _ isBetter: (Value, Value) -> Bool) -> Value? {
        var best: Value?
        forEachValue(of: subject) { value in
            if !value.isNaN, best.map({ isBetter(value, $0) }) ?? true { best = value }
        }
        return best
    }

    func minimum(of property: String) -> Value? {
        let subject = subject(property, for: "min")
        return aggregate(.minimum, of: subject) ?? extreme(of: subject) { $0.precedes($1) }
    }

    func maximum(of property: String) -> Value? {
        let subject = subject(property, for: "max")
        return aggregate(.maximum, of: subject) ?? extreme(of: subject) { $1.precedes($0) }
    }

    /// Integers are added as integers and wrap around, as RealmSwift's do.
    func sum(of property: String) -> Value? {
        let subject = subject(property, for: "sum")
        if let sum = aggregate(.sum, of: subject) { return sum }
        var integers: Int64 = 0
        var doubles = 0.0
        var hasDoubles = false
        var decimals: DecimalNumber?
        forEachValue(of: subject) { value in
            switch value {
            case .int(let value): integers &+= value
            case .double(let value):
                doubles += value
                hasDoubles = true
            case .float(let value):
                doubles += Double(value)
                hasDoubles = true
            case .decimal(let value): decimals = decimals.map { $0 + value } ?? value
            default: refuse("sum", of: property)
            }
        }
        if let decimals { return .decimal(decimals) }
        return hasDoubles ? .double(doubles) : .int(integers)
    }

    func average(of property: String) -> Value? {
        let subject = subject(property, for: "average")
        if let average = aggregate(.average, of: subject) { return average }
        var total = 0.0
        var decimals: DecimalNumber?
        var count = 0
        forEachValue(of: subject) { value in
            switch value {
            case .int(let value): total += Double(value)
            case .double(let value): total += value
            case .float(let value): total += Double(value)
            case .decimal(let value): decimals = decimals.map { $0 + value } ?? value
            default: refuse("average", of: property)
            }
            count += 1
        }
        if let decimals { return .decimal(decimals / DecimalNumber(Int64(count))) }
        return count == 0 ? nil : .double(total / Double(count))
    }
}

extension Value {
    /// The number as one of another type; the nearest where that type is coarser.
    fileprivate func number<T: _AggregateType>() -> T? {
        func result(_ value: Value?) -> T? { value.flatMap { T._aggregated(_StoredValue($0), nil) } }
        let type = T._shape.type
        if type == .mixed { return result(self) }
        if let exact = converted(to: type, isOptional: false) { return result(exact) }
        if case .decimal(let decimal) = self, type == .int { return result(decimal.truncated.map { .int($0) }) }
        guard case .double(let double) = self, type == .int else { return nil }
        return result(Int64(exactly: double.rounded(.towardZero)).map { .int($0) })
    }
}

extension DecimalNumber {
    /// Without what stands after the point; nil for what no Int64 holds.
    fileprivate var truncated: Int64? { isNegative ? (-self).roundedDown.map { -$0 } : roundedDown }
}

extension ObjectModel {
    /// The property at the end of a dotted path.
    fileprivate func property(at keyPath: String) -> Property? {
        var model: ObjectModel? = self
        let names = keyPath.split(separator: ".").map(String.init)
        for name in names.dropLast() { model = model?.target(of: name) }
        return names.last.flatMap { model?.property(named: $0) }
    }
}

extension _ClassAccess {
    /// The property at the end of a path to be aggregated. A name that no class has stops the program.
    fileprivate func aggregatedProperty(_ keyPath: String) -> (type: StoredType, className: String, name: String) {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var className = model.className
        for (position, name) in model.storedNames(names).enumerated() {
            guard let found = instance.transaction.schema[className]?.properties.first(where: { $0.name == name })
            else {
                misuse(
                    "Invalid property name: Property '\(names[position])' not found in object of type '\(className)'")
            }
            guard position < names.count - 1, let target = found.target else {
                return (found.type, className, names[position])
            }
            className = target
        }
        return (.mixed, className, keyPath)
    }
}
