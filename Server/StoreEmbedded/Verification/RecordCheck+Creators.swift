import CausewayModel
import CausewayObjectStore
import CausewayStore

// Rule 15: the objects of users.

extension RecordCheck {
    func checkCreators() {
        // An earlier build wrote it last. Opening counts anew.
        guard meta.counted == meta.version else { return }
        var counted: [ExactString: Int]
        do throws(StoreFailure) {
            counted = try CreatorCensus.objects(in: transaction)
        } catch {
            return report.note(
                "The objects of users cannot be counted: what is kept of rows or clients cannot be read.")
        }
        CreatorTree(in: transaction).forEach { user, kept in
            let objects = counted.removeValue(forKey: ExactString(user)) ?? 0
            if objects != kept || kept == 0 { noteCount(user, kept, objects) }
        }
        for (user, objects) in counted.sorted(by: { $0.key < $1.key }) where objects != 0 {
            noteCount(user.string, 0, objects)
        }
    }

    private func noteCount(_ user: String, _ kept: Int, _ objects: Int) {
        report.note(
            "Of user '\(user.prefix(80))' \(kept) objects are counted, and clients of the user created \(objects) that exist."
        )
    }
}
