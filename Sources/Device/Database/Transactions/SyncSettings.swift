/// The part of a configuration that makes its Realm synchronise. `SyncConfiguration` implements it.
package protocol SyncSettings: Sendable {
    /// Called before a new Realm instance reads the file, and when an open one is opened again with other settings.
    ///
    /// It makes sure that the file has its participant and its driver.
    func attach(_ coordinator: FileCoordinator, for configuration: Realm.Configuration) throws

    /// Whether two configurations synchronise in the same way.
    func isEqual(to other: any SyncSettings) -> Bool
}
