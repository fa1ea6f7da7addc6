/// What makes a configuration one of a synchronised Realm. The synchronisation part implements it.
package protocol SyncSettings: Sendable {
    /// Called when a Realm of the configuration is opened, every time, before anything else sees the file.
    ///
    /// It makes sure that the file has its participant and its driver.
    func attach(_ coordinator: FileCoordinator, for configuration: Realm.Configuration) throws

    /// Whether two configurations synchronise in the same way.
    func isEqual(to other: any SyncSettings) -> Bool
}
