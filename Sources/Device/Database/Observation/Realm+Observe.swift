/// The block of a Realm's observer. It is called with the notification and the Realm.
///
/// ```swift
/// let block: NotificationBlock = { notification, realm in print(notification, realm.isEmpty) }
/// let token = realm.observe(block)
/// ```
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
    /// A notification to an observer of a Realm.
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
        /// A newer version is available, and `autorefresh` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Calls the block whenever the Realm moves to a newer version, or with `autorefresh` off could.
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
