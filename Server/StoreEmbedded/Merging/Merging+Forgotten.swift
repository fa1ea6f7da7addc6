import CausewayModel
import CausewayStore

// Writers that are older than forgotten tombstones: RULES.md, section 12.

extension Merging {
    func forgotten(_ classNumber: Int) throws(StoreFailure) -> ForgottenEnds {
        if let known = forgottenEnds[classNumber] { return known }
        let forgotten = try ForgottenEnds.load(classNumber, in: transaction)
        forgottenEnds[classNumber] = forgotten
        return forgotten
    }
}
