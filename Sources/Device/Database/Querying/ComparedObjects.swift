import CausewayModel
import CausewayQuery

/// The objects that a condition compares with, while it is being read. A condition holds no more of them than their keys,
/// which are good in their own file only.
enum ComparedObjects {
    final class Seen {
        var objects: [ObjectBase] = []
    }

    @TaskLocal static var seen: Transferred<Seen>?

    /// What the body reads, and the objects that it met.
    static func collecting<Condition>(_ body: () -> Condition) -> (condition: Condition, objects: [ObjectBase]) {
        let seen = Seen()
        let condition = $seen.withValue(Transferred(seen), operation: body)
        return (condition, seen.objects)
    }

    /// The file that all managed ones are of; nil when there are none. Stops the program where they are of several: one
    /// key would mean an object of each.
    static func origin(of objects: [ObjectBase]) -> FileCoordinator? {
        var origin: FileCoordinator?
        for object in objects {
            guard let coordinator = object._instance?.coordinator else { continue }
            if let origin, origin !== coordinator { misuse("Object must be from the Realm being queried") }
            origin = coordinator
        }
        return origin
    }
}

extension RealmInstance {
    /// Stops the program where a condition names objects of another file: their keys would mean other objects here.
    func checkOrigin(of objects: [ObjectBase]) {
        for object in objects where object._header != nil {
            guard object._instance?.coordinator === coordinator else {
                misuse("Object must be from the Realm being queried")
            }
        }
    }
}

extension CausewayQuery.Predicate {
    /// Stops the program where a link is compared with an object of another class than it leads to. A class that only the
    /// file declares does not say where its links lead.
    func checkClasses(of objects: [ObjectBase], in model: ObjectModel) {
        if model.isDynamic { return }
        switch self {
        case .constant, .geoWithin: break
        case .and(let parts), .or(let parts): for part in parts { part.checkClasses(of: objects, in: model) }
        case .not(let part): part.checkClasses(of: objects, in: model)
        case .comparison(let comparison):
            comparison.checkClasses(of: objects, in: model)
            for case .subquery(let subquery) in [comparison.left, comparison.right] {
                guard let element = model.model(at: subquery.collection.names) else { continue }
                subquery.condition.checkClasses(of: objects, in: element)
            }
        }
    }
}

extension CausewayQuery.Comparison {
    fileprivate func checkClasses(of objects: [ObjectBase], in model: ObjectModel) {
        let sides = [left, right]
        for case .path(let path) in sides where path.aggregate == nil && path.part == nil {
            guard let target = model.model(at: path.names) else { continue }
            for case .object(let key) in sides.flatMap(\.constants) {
                let named = objects.filter { ($0._header == nil ? .unmanaged : $0._key) == key }
                guard let object = named.first, !named.contains(where: { $0.className == target.className }) else {
                    continue
                }
                let clause = comparator == .in ? " in IN clause" : ""
                // RealmSwift names the class for the objects of a collection only.
                let kind = model.isCollection(at: path.names) ? target.className : "object"
                misuse(
                    "Expected object of type \(kind)\(clause) for property '\(path.text)' on object of type "
                        + "'\(model.className)', but received: \(object)")
            }
        }
    }
}

extension CausewayQuery.Expression {
    fileprivate var constants: [Value] {
        switch self {
        case .value(let value): [value]
        case .values(let values), .quantified(_, let values): values
        case .path, .subquery, .arithmetic, .typeOf, .claim: []
        }
    }
}

extension ObjectModel {
    /// Whether a path of public names ends in a collection or an inverse relation.
    fileprivate func isCollection(at names: [String]) -> Bool {
        guard let last = names.last, let owner = model(at: names.dropLast()) else { return false }
        return owner.property(named: last).map { $0.shape.collection != .none } ?? true
    }
}

extension ObjectBase {
    /// The name of the object's class, also of one that only the file declares.
    fileprivate final var className: String { _access?.model.className ?? type(of: self).className() }
}

extension ObjectKey {
    /// What an unmanaged object in a condition stands for. No stored object has this key.
    static let unmanaged = ObjectKey(-1)
}
