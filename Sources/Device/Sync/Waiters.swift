/// Callers that wait for the server to have everything, or for this device to have everything.
struct Waiters: Hashable, Sendable {
    private var uploads: [Upload] = []
    private var downloads: [Download] = []
    private var lastMark: UInt64 = 0

    private struct Upload: Hashable, Sendable {
        var waiter: Conversation.Waiter
        var changesets: UInt64
        var oneWay: UInt64
    }

    private struct Download: Hashable, Sendable {
        var waiter: Conversation.Waiter
        /// The mark asked for on this connection; nil when it has still to be sent.
        var mark: UInt64?
    }

    /// Waits for everything logged until now.
    mutating func addUpload(_ waiter: Conversation.Waiter, changesets: UInt64, oneWay: UInt64) {
        uploads.append(Upload(waiter: waiter, changesets: changesets, oneWay: oneWay))
    }

    /// Adjusts the waiters to the new numbers of the entries.
    mutating func beganAgain(passed: Conversation.Logged) {
        for index in uploads.indices {
            uploads[index].changesets -= min(uploads[index].changesets, passed.changesets)
            uploads[index].oneWay -= min(uploads[index].oneWay, passed.oneWay)
        }
    }

    mutating func addDownload(_ waiter: Conversation.Waiter) {
        downloads.append(Download(waiter: waiter, mark: nil))
    }

    mutating func remove(_ waiter: Conversation.Waiter) {
        uploads.removeAll { $0.waiter == waiter }
        downloads.removeAll { $0.waiter == waiter }
    }

    mutating func removeAll() -> [Conversation.Waiter] {
        defer {
            uploads = []
            downloads = []
        }
        return uploads.map(\.waiter) + downloads.map(\.waiter)
    }

    mutating func removeUploads() -> [Conversation.Waiter] {
        defer { uploads = [] }
        return uploads.map(\.waiter)
    }

    /// Removes and returns those whose entries are all on the server now.
    mutating func uploaded(changesets: UInt64, oneWay: UInt64) -> [Conversation.Waiter] {
        let done = uploads.filter { $0.changesets <= changesets && $0.oneWay <= oneWay }
        uploads.removeAll { $0.changesets <= changesets && $0.oneWay <= oneWay }
        return done.map(\.waiter)
    }

    /// The marks to ask for: one for all that came since the last.
    mutating func marksToSend() -> [UInt64] {
        guard downloads.contains(where: { $0.mark == nil }) else { return [] }
        lastMark += 1
        for index in downloads.indices where downloads[index].mark == nil {
            downloads[index].mark = lastMark
        }
        return [lastMark]
    }

    mutating func marked(_ id: UInt64) -> [Conversation.Waiter] {
        let done = downloads.filter { $0.mark == id }
        downloads.removeAll { $0.mark == id }
        return done.map(\.waiter)
    }

    /// Marks of a lost connection are asked for again on the next.
    mutating func disconnected() {
        for index in downloads.indices { downloads[index].mark = nil }
    }
}
