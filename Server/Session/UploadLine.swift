import CausewayModel

/// Uploads that wait for a commit, and which of them the next one takes: users take turns, those of one user keep their
/// order, and a commit holds no more operations than pass in a moment. So a small change waits for one commit, whoever
/// sends how much.
///
/// An upload that is a commit's worth by itself has one of its own. Before it may go, what is small of others goes, once.
///
/// Numbered for tests:
/// 1. What is taken together has no more than `operationsMax` operations, unless it is one upload.
/// 2. Of one user nothing is taken before what that user added earlier.
/// 3. The first in the line is passed over once at most.
struct UploadLine<Upload> {
    private struct Waiting {
        var upload: Upload
        var operations: Int
    }

    private var waiting: ExactDictionary<[Waiting]> = [:]
    /// Users with uploads that wait, each once, the next one first.
    private var users: [String] = []
    /// The first user's upload was passed over, and is next.
    private var isPassedOver = false
    private(set) var count = 0

    let operationsMax: Int
    let uploadsMax: Int

    /// - Parameter uploadsMax: that are taken together.
    init(operationsMax: Int, uploadsMax: Int) {
        self.operationsMax = operationsMax
        self.uploadsMax = uploadsMax
    }

    func count(of user: String) -> Int { waiting[user]?.count ?? 0 }

    mutating func add(_ upload: Upload, operations: Int, of user: String) {
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: []].append(Waiting(upload: upload, operations: operations))
        count += 1
    }

    /// What the next commit holds; nothing when nothing waits.
    mutating func takeGroup() -> [Upload] {
        guard let user = users.first, let first = waiting[user]?.first else { return [] }
        let isDue = isPassedOver
        isPassedOver = false
        if isDue, first.operations > operationsMax { return [take(from: 0)] }
        var group: [Upload] = []
        var operationsLeft = operationsMax
        var index = 0
        // Of those who are served the rest waits at the end of the line; users ahead of `index` were passed over.
        while index < users.count, group.count < uploadsMax {
            guard let next = waiting[users[index]]?.first, next.operations <= operationsLeft else {
                index += 1
                continue
            }
            operationsLeft -= next.operations
            group.append(take(from: index))
        }
        if group.isEmpty { return [take(from: 0)] }
        isPassedOver = index > 0
        return group
    }

    /// The first upload of a user, who goes to the end of the line.
    private mutating func take(from index: Int) -> Upload {
        let user = users.remove(at: index)
        guard let taken = waiting[user]?.removeFirst() else { preconditionFailure("A user in the line has uploads.") }
        if waiting[user]?.isEmpty == true { waiting[user] = nil } else { users.append(user) }
        count -= 1
        return taken.upload
    }
}
