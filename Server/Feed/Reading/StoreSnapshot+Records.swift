import CausewayModel
import CausewayStore

extension StoreSnapshot {
    /// What a version did that the history has.
    func keptRecord(of version: ServerVersion) throws(StoreFailure) -> VersionRecord {
        guard let record = try record(of: version) else {
            throw StoreFailure(
                .fault,
                "The server's database is damaged: version \(version.rawValue) is missing in its history. Restore the newest "
                    + "backup of its folder.")
        }
        return record
    }
}
