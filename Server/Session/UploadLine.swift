/// Uploads that wait for a commit, and which of them the next one takes. Users take turns, those of one user keep their
/// order, and a commit holds no more operations than it can do in a moment. So a small change waits for one commit, no
/// matter how much others send.
///
/// An upload that is a commit's worth by itself has a commit of its own. Small uploads of others go before it, once.
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

    private var line = UserLine<Waiting>()
    /// The first user's upload was passed over, and is next.
    private var isPassedOver = false
    var count: Int { line.count }

    let operationsMax: Int
    let uploadsMax: Int

    /// - Parameter uploadsMax: how many uploads are taken together.
    init(operationsMax: Int, uploadsMax: Int) {
        self.operationsMax = operationsMax
        self.uploadsMax = uploadsMax
    }

    func count(of user: String) -> Int { line.elements(of: user).count }

    mutating func add(_ upload: Upload, operations: Int, of user: String) {
        line.add(Waiting(upload: upload, operations: operations), of: user)
    }

    /// The uploads of the next commit; empty when none waits.
    mutating func takeGroup() -> [Upload] {
        line.assertInvariants()
        guard !line.isEmpty else { return [] }
        let isDue = isPassedOver
        isPassedOver = false
        if isDue, line.next(at: 0).element.operations > operationsMax { return [line.take(at: 0).upload] }
        var group: [Upload] = []
        var operationsLeft = operationsMax
        var place = 0
        // A served user goes to the end of the line. Users ahead of `place` were passed over.
        while place < line.userCount, group.count < uploadsMax {
            guard line.next(at: place).element.operations <= operationsLeft else {
                place += 1
                continue
            }
            let taken = line.take(at: place)
            operationsLeft -= taken.operations
            group.append(taken.upload)
        }
        if group.isEmpty { return [line.take(at: 0).upload] }
        isPassedOver = place > 0
        return group
    }
}
