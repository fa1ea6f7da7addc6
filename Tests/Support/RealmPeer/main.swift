import Causeway
import Foundation

// Another process with the same Realm: does what its input says, and says what it hears.
//
//     CausewayRealmPeer <file>
//
//     add 7        adds note 7; answers `added 7 <when the commit had returned>`
//     watch        says `saw <count> <when>` at every change, the first time at once
//
// Times are nanoseconds of a clock that all processes share. With `newer` behind the file it is another program, whose
// classes are newer: see `NewerProgram.swift`. With `pages` it edits a page: see `Pages.swift`.

class PeerNote: Object {
    @Persisted(primaryKey: true) var id: Int
}

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + " \(DispatchTime.now().uptimeNanoseconds)\n").utf8))
}

guard CommandLine.arguments.count == 2 || [["newer"], ["pages"]].contains(Array(CommandLine.arguments.dropFirst(2)))
else {
    FileHandle.standardError.write(Data("usage: \(CommandLine.arguments[0]) <file> [newer | pages]\n".utf8))
    exit(64)
}
if CommandLine.arguments.count == 3 {
    let file = URL(fileURLWithPath: CommandLine.arguments[1])
    if CommandLine.arguments[2] == "pages" { try Pages.run(file) } else { try NewerProgram.run(file) }
    exit(0)
}
var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: CommandLine.arguments[1]))
configuration.objectTypes = [PeerNote.self]
let queue = DispatchQueue(label: "peer")
let realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
var tokens: [NotificationToken] = []
while let line = readLine() {
    let words = line.split(separator: " ")
    try queue.sync {
        if words.first == "watch" {
            tokens.append(
                realm.objects(PeerNote.self).observe(on: queue) { change in
                    switch change {
                    case .initial(let notes): say("saw \(notes.count)")
                    case .update(let notes, _, _, _): say("saw \(notes.count)")
                    case .error(let error): say("failed \(error)")
                    }
                })
        } else if words.first == "add", let id = words.last.flatMap({ Int($0) }) {
            try realm.write { _ = realm.create(PeerNote.self, value: ["id": id]) }
            say("added \(id)")
        }
    }
}
