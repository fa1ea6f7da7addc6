import CausewayStoreReplicated
import Foundation

/// Keeps a replica from being served whose state is not that of the other nodes: a note beside it, which counts for this very file.
/// Whoever deletes the file has the node make it again.
struct StoppedReplica {
    private let folder: DatabaseFolder
    private let path: String

    init(inFolder path: String) {
        folder = DatabaseFolder(path)
        self.path = folder.objectsPath + ".stopped"
    }

    /// Why nothing is served from the replica; nil where nothing stands against it.
    var reason: String? {
        guard let text = FileManager.default.contents(atPath: path).map({ String(decoding: $0, as: UTF8.self) }),
            let end = text.firstIndex(of: "\n")
        else { return nil }
        guard let file = fileNumber, text[..<end] == "\(file)" else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
        return String(text[text.index(after: end)...])
    }

    /// - Returns: what happened and what to do, for the operator.
    func note(_ end: ReplicaEnd) -> String {
        guard end.remedy == .stateDiffers, let file = fileNumber else { return end.message }
        let message =
            end.message
            + " Keep a copy of \(folder.objectsPath) for whoever looks into it, and delete that file: the node "
            + "makes it again."
        // Where it cannot be written, the replica is compared again each time.
        try? Data("\(file)\n\(message)".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        return message
    }

    /// Of the replica; nil where there is none.
    private var fileNumber: UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.objectsPath)
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }
}
