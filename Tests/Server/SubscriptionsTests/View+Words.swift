import CausewayMerge
import CausewayModel
import CausewayOperations

extension ObjectReference {
    var shown: String {
        switch key {
        case .int(let id): "\(className) \(id)"
        case .string(let id): "\(className) \(id)"
        case .container(let id): "\(className) \(id.counter)"
        default: "\(className) \(key)"
        }
    }
}

extension ObjectState {
    var names: String {
        (fields.map(\.property) + parts.map(\.property)).sorted().joined(separator: ",")
    }
}
