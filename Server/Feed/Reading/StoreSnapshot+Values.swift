package import CausewayStore

extension StoreSnapshot {
    /// An object as it is in this snapshot; nil when the row is gone.
    package func values(of row: Row) throws(StoreFailure) -> (name: ObjectName, values: ObjectValues)? {
        guard let name = name(of: row) else { return nil }
        return (name, try ViewThen(self, FeedWindow(after: version)).values(of: name, after: version, without: []))
    }
}
