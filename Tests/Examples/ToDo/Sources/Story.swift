import RealmSwift

/// What happens to one list of ann's.
@MainActor
struct Story {
    let ann: Device
    let ben: Device
    let cid: Device
    let list: ObjectId

    /// Everybody's uploads come before everybody's downloads.
    private func sync(_ devices: Device...) async throws {
        for device in devices { try await device.upload() }
        for device in devices { try await device.download() }
    }

    /// The list comes to a user with the change that makes them a member.
    func share() async throws {
        print("Ann has made a list")
        try await sync(ann, ben, cid)
        try check(ben.list(list) == nil && cid.list(list) == nil, "nobody else sees it")
        print("Ann shares it with ben")
        try ann.change(list) { $0.members.insert(ben.userID) }
        try await sync(ann, ben, cid)
        try ben.show(list, ["[ ] Ask the neighbours", "[ ] Book the band", "[ ] Buy bread"])
        try check(cid.listCount == 0, "cid sees no list")
    }

    /// Edits of different properties all stay, and a list keeps what was appended.
    func editApart() async throws {
        print("Ben is offline, ticks off a task and adds one; ann renames another")
        ben.loseConnection()
        try ben.change(list) {
            $0.tasks[2].isDone = true
            $0.tasks.append(ToDoTask(value: ["title": "Buy candles"]))
        }
        try ann.change(list) { $0.tasks[0].title = "Invite the neighbours" }
        try await sync(ann)
        try ann.show(list, ["[ ] Invite the neighbours", "[ ] Book the band", "[ ] Buy bread"])
        try ben.show(list, ["[ ] Ask the neighbours", "[ ] Book the band", "[x] Buy bread", "[ ] Buy candles"])
        print("Ben is back")
        ben.findConnection()
        try await sync(ben, ann, cid)
        let merged = ["[ ] Invite the neighbours", "[ ] Book the band", "[x] Buy bread", "[ ] Buy candles"]
        try ann.show(list, merged)
        try ben.show(list, merged)
        try check(cid.listCount == 0, "cid sees no list")
    }

    /// A refused change is taken back on the device, and waits with the server's reason until the app decides.
    func takeOver() async throws {
        print("Ben makes himself the owner, which only the owner may do")
        try ben.change(list) { $0.owner = ben.userID }
        try await sync(ben, ann)
        let refused = Array(ben.unsyncedChanges)
        for change in refused {
            print("   refused with \(change.code): \(change.operations.map(\.description).joined(separator: ", "))")
            print("   the reason: \(change.reason)")
        }
        try check(refused.count == 1 && refused[0].code == 103, "one change was not permitted")
        try check(ben.list(list)?.owner == ann.userID && ann.list(list)?.owner == ann.userID, "both see ann's list")
        for change in refused { try change.drop() }
        try check(ben.unsyncedChanges.isEmpty, "ben has dropped it")
    }
}
