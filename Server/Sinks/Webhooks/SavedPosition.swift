import CausewaySession
import CausewayStore

/// A position that the database keeps.
struct SavedPosition: Sendable {
    private let keeping: any OneWayKeeping
    private let name: String
    /// A write waits for the commits of devices.
    private let thread: StoreThread

    init(_ keeping: any OneWayKeeping, name: String) {
        self.keeping = keeping
        self.name = name
        thread = StoreThread(label: "causeway.position")
    }

    var damage: SinkFailure {
        SinkFailure(
            "The position of “\(name)” in the database is damaged. Give the hook another name, and it begins anew.")
    }

    /// Nil before the first one is saved.
    func load() async throws(SinkFailure) -> String? {
        let result = await thread.result { [self] () throws(StoreFailure) in try keeping.position(of: name) }
        switch result {
        case .success(let bytes): return bytes.map { String(decoding: $0, as: UTF8.self) }
        case .failure(let failure): throw SinkFailure(failure.message)
        }
    }

    func save(_ text: String) async throws(SinkFailure) {
        let result = await thread.result { [self] () throws(StoreFailure) in
            try keeping.savePosition(Array(text.utf8), of: name)
        }
        if case .failure(let failure) = result { throw SinkFailure(failure.message) }
    }
}
