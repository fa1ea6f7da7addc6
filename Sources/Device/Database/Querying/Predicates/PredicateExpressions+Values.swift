import CausewayModel
import CausewayQuery
import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        guard let meaning = translation.meanings[key] else {
            throw PredicateRefusal(
                "it uses a variable that no part of it declares", remedy: "Write the predicate with one #Predicate.")
        }
        return meaning
    }
}

extension PredicateExpressions.Value: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand { .constant(flattened(value)) }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func operand(_ translation: PredicateTranslation) throws -> PredicateOperand {
        try translation.operand(root).mapped { root in
            switch root {
            case .path(let path): try member(of: path)
            case .filtered(let collection, let truth): try member(of: collection, filteredBy: truth)
            default: throw unknown(root.shown)
            }
        }
    }

    private func member(of path: PredicatePath) throws -> PredicateOperand {
        if path.collection != .none { return try member(ofCollection: path) }
        let member: AnyKeyPath = keyPath
        switch Root.Output.self {
        case let type as any KeyPathRoot.Type: return .path(path.appending(try name(in: type, path.text), Output.self))
        case is String.Type where member == \String.isEmpty:
            return try PredicateOperand.path(path).compared(.equal, .constant(""))
        case is String.Type where Output.self == Bool.self:
            // A subscript of another library may not like an empty text.
            guard let part = KeyedRead.key(of: { "a" }, member) else { break }
            return try PredicateOperand.path(path).standardContains(part)
        case is Data.Type where member == \Data.isEmpty:
            return try PredicateOperand.path(path).compared(.equal, .constant(Data()))
        case is Text.Type where member == \Text.isEmpty:
            return try PredicateOperand.path(path.retyped(String.self)).compared(.equal, .constant(""))
        case is Text.Type where member == \Text.string, is Counter.Type where member == \Counter.value:
            return .path(path.retyped(Output.self))
        case let type as any PredicateBox.Type where type.isContent(member): return .path(path.retyped(Output.self))
        case let type as any PersistableEnum.Type where isRawValue(of: type): return .path(path.retyped(Output.self))
        default: break
        }
        throw unknown("'\(path.text)'")
    }

    /// The property that the key path names. A property that is computed from another one is refused where its type tells.
    private func name<Model: KeyPathRoot>(in type: Model.Type, _ shown: String) throws -> String {
        guard let path = keyPath as AnyKeyPath as? Swift.PartialKeyPath<Model> else { throw unknown("'\(shown)'") }
        let name = _name(for: path)
        guard storedType(at: name, in: type) == Output.self else {
            throw PredicateRefusal(
                "it asks for a computed property or a member of '\(name)' of the class '\(Model.className())'",
                remedy: "Ask for stored properties, one member at a time.")
        }
        return name
    }

    /// The Swift type of a property; nil if the model does not know it.
    private func storedType(at name: String, in type: ObjectBase.Type) -> Any.Type? {
        let names = name.split(separator: ".").map(String.init)
        var model = ObjectModel.of(type)
        for next in names.dropLast() {
            guard let target = model.property(named: next)?.shape.target else { return nil }
            model = ObjectModel.of(target)
        }
        guard let last = names.last else { return nil }
        if let property = model.property(named: last) { return property.wrapper.valueType }
        return model.inverses.first { $0.name == last }?.wrapper.valueType
    }

    /// Whether the key path is that of the raw value. Key paths to members of different enumerations have nothing in
    /// common, so its effect decides.
    private func isRawValue<Enumeration: PersistableEnum>(of type: Enumeration.Type) -> Bool {
        guard let path = keyPath as AnyKeyPath as? Swift.KeyPath<Enumeration, Enumeration.RawValue> else {
            return false
        }
        return Enumeration.allCases.allSatisfy { $0[keyPath: path] == $0.rawValue }
    }

    private func unknown(_ owner: String) -> PredicateRefusal {
        let member =
            switch kind {
            case .collectionCount: "count"
            case .collectionFirst: "first"
            case .bidirectionalCollectionLast: "last"
            default: nil as String?
            }
        return PredicateRefusal(
            "a query cannot ask \(owner) of type '\(Root.Output.self)' for "
                + (member.map { "its '\($0)'" } ?? "a member of type '\(Output.self)'"),
            remedy: "Filter the results with a closure.")
    }

    // MARK: - Collections

    private func member(ofCollection path: PredicatePath) throws -> PredicateOperand {
        switch (Root.Output.self as? any PredicateCollection.Type)?.member(keyPath) ?? commonMember {
        case .count: return .path(path.with(.count, Int.self))
        case .isEmpty: return try PredicateOperand.path(path.with(.count, Int.self)).compared(.equal, .constant(0))
        case .first where path.collection == .list && path.path.part == nil:
            return .path(path.element(.first, Output.self))
        case .last where path.collection == .list && path.path.part == nil:
            return .path(path.element(.last, Output.self))
        case .keys: return .path(path.with(.keys, Output.self))
        case .values: return .path(path.with(.values, Output.self))
        case .value(let key): return .path(path.with(.value(ExactString(key)), Output.self))
        case .first, .last, nil: throw unknown("'\(path.text)'")
        }
    }

    private func member(of collection: PredicatePath, filteredBy truth: PredicateTruth) throws -> PredicateOperand {
        let count = PredicateOperand.counted(
            Subquery(collection.path, where: truth.holds), of: collection.variable)
        let counted: PredicateOperand
        switch commonMember {
        case .count: counted = count
        case .isEmpty: counted = try count.compared(.equal, .constant(0))
        default: throw unknown("the filtered '\(collection.text)'")
        }
        guard let fails = truth.fails else { return counted }
        // An element without an answer leaves the whole without one.
        let unanswered = PredicateTruth.both(
            PredicateTruth.negation(of: truth.holds), PredicateTruth.negation(of: fails))
        let all = PredicateOperand.counted(Subquery(collection.path, where: unanswered), of: collection.variable)
        return .choice(try all.compared(.equal, .constant(0)).truth(), counted, .undefined)
    }

    /// The members of Swift's own collections.
    private var commonMember: PredicateCollectionMember? {
        switch kind {
        case .collectionCount: .count
        case .collectionIsEmpty: .isEmpty
        case .collectionFirst: .first
        case .bidirectionalCollectionLast: .last
        default: nil
        }
    }
}

extension PredicatePath {
    fileprivate func retyped(_ type: Any.Type) -> PredicatePath {
        var result = self
        result.type = type
        return result
    }
}

/// The class at the beginning of a key path.
private protocol KeyPathRoot: ObjectBase {}

extension ObjectBase: KeyPathRoot {}

/// A property box, whose content a predicate names with `value`.
private protocol PredicateBox {
    static func isContent(_ member: AnyKeyPath) -> Bool
}

extension RealmProperty: PredicateBox {
    fileprivate static func isContent(_ member: AnyKeyPath) -> Bool { member == \RealmProperty.value }
}
