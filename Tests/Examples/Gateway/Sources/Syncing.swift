import RealmSwift

extension User {
    /// The configuration of one of the user's devices: each is a file of its own.
    func device(_ name: String, in folder: URL) -> Realm.Configuration {
        var configuration = flexibleSyncConfiguration(initialSubscriptions: { $0.append(QuerySubscription<Sensor>()) })
        configuration.fileURL = folder.appendingPathComponent("\(name).realm")
        configuration.objectTypes = [Sensor.self, Reading.self]
        return configuration
    }
}

extension Realm {
    /// Waits until the server has everything that was written here, and everything that it had is here.
    @MainActor
    func settle() async throws {
        try await syncSession?.wait(for: .upload)
        try await syncSession?.wait(for: .download)
        refresh()
    }
}
