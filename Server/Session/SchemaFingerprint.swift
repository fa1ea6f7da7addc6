package import CausewayModel
import CausewayQuery
import CausewayStore

extension Schema {
    /// Identifies what a device with this schema can hold: equal for equal classes and properties, in every process.
    /// Zero for an empty schema. A device that lies about it gets a wrong view of its own.
    package var fingerprint: UInt64 {
        if classes.isEmpty { return 0 }
        var fingerprint = Fingerprint()
        fingerprint.add(QueryLanguage.meaning)
        for declared in classes.sorted(by: { $0.name < $1.name }) {
            fingerprint.add(declared.name)
            for name in declared.properties.map(\.name).sorted() { fingerprint.add(name) }
            fingerprint.add("")
        }
        return fingerprint.value
    }
}
