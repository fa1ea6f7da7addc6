import CausewaySimulatedDisk
import CausewayStorage

/// Something made wrong on purpose: the checker has to find it.
enum Mutation: Hashable, Sendable {
    /// The disk lies.
    case disk(SimulatedDisk.Defect)
    /// The storage leaves something out.
    case storage(StorageMutation)

    static let all =
        SimulatedDisk.Defect.allCases.map { Mutation.disk($0) } + StorageMutation.allCases.map { Mutation.storage($0) }

    init?(name: String) {
        guard let mutation = Self.all.first(where: { $0.name == name }) else { return nil }
        self = mutation
    }

    var name: String {
        switch self {
        case .disk(let defect): defect.rawValue
        case .storage(let mutation): mutation.rawValue
        }
    }

    var defect: SimulatedDisk.Defect? {
        if case .disk(let defect) = self { defect } else { nil }
    }

    var storage: StorageMutation? {
        if case .storage(let mutation) = self { mutation } else { nil }
    }
}
