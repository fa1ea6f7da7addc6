/// What a Realm's own observers are: called with what happened, and the Realm.
///
/// ```swift
/// let block: NotificationBlock = { notification, realm in print(notification, realm.isEmpty) }
/// let token = realm.observe(block)
/// ```
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
    /// What a Realm's own observers are told.
    ///
    /// ```swift
    /// func tell(_ notification: Realm.Notification) {
    ///     switch notification {
    ///     case .didChange: print("moved on")
    ///     case .refreshRequired: print("there is something newer")
    ///     }
    /// }
    /// ```
    public enum Notification: String, Sendable {
        /// The Realm has moved to a newer version: by its own commit or by following another's.
        case didChange = "RLMRealmDidChangeNotification"
        /// There is a newer version, and the Realm does not follow by itself.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Calls the block whenever the Realm changes.
    ///
    /// ```swift
    /// let token = realm.observe { notification, realm in print(notification, realm.isEmpty) }
    /// ```
    ///
    /// - Returns: A token to keep as long as notifications are wanted.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        instance.checkThread()
        if instance.isFrozen { misuse("Frozen Realms do not change and do not have change notifications.") }
        let state = ObservationState()
        instance.observers.add(RealmObserver(state, block), instance)
        return NotificationToken(state)
    }
}
