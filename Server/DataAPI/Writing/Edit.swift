import CausewayJSON
import CausewayModel

/// A change of a part of a property, in a patch: `{"$append": ["a", "b"]}`. It merges with what others change, while a
/// value that is set replaces theirs.
enum Edit: String, CaseIterable, Sendable {
    /// Adds to a counter.
    case increment = "$increment"
    /// Adds elements at the end of a list.
    case append = "$append"
    /// Puts elements into a list: `{"at": 0, "values": [ … ]}`.
    case insert = "$insert"
    /// Replaces one element of a list: `{"at": 0, "value": … }`.
    case setAt = "$setAt"
    /// Removes elements from a list: `{"at": 0, "count": 1}`.
    case removeAt = "$removeAt"
    /// Adds elements to a set.
    case add = "$add"
    /// Puts entries into a map: `{"key": … }`.
    case put = "$put"
    /// Removes elements from a set, or keys from a map.
    case remove = "$remove"
    /// Replaces characters of a text: `{"at": 0, "remove": 1, "insert": "a"}`.
    case splice = "$splice"
    /// Changes properties of an embedded object, and leaves the others: `{"city": "Ulm"}`.
    case patch = "$patch"

    /// Nil for a value. An edit that its property does not take is an edit all the same: it is refused by name.
    init?(_ json: JSON, of property: Property) {
        guard let first = json.members?.first?.name.string, let edit = Edit(rawValue: first) else { return nil }
        self = edit
    }

    /// The edits that a property takes.
    static func known(to property: Property, isEmbedded: Bool) -> [Edit] {
        if property.isCounter { return [.increment] }
        if property.isText { return [.splice] }
        return switch property.collection {
        case .list: [.append, .insert, .setAt, .removeAt]
        case .set: [.add, .remove]
        case .map: [.put, .remove]
        case .none: isEmbedded ? [.patch] : []
        }
    }
}
