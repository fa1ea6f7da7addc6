import Causeway
import CausewayBookkeeping
import Foundation

// Writes numbered transactions to a Realm until it is killed, and says each number after its commit has returned.
//
//     CausewayCrashWriter <file> local|logged
//
// `local` is an ordinary Realm, whose classes are found without being listed; `logged` keeps an operation log.

/// Goes to the other end at once, in one call: a line is there whole or not at all.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let arguments = CommandLine.arguments
guard arguments.count == 3, ["local", "logged"].contains(arguments[2]) else {
    FileHandle.standardError.write(Data("usage: \(arguments[0]) <file> local|logged\n".utf8))
    exit(64)
}
var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[1]))
if arguments[2] == "logged" {
    configuration.objectTypes = Bookkeeping.types
    configuration.syncSettings = LoggedSettings(client: 1)
}
let realm = try Realm(configuration: configuration)
var number = try Bookkeeping.begin(in: realm)
say("begun at \(number)")
while true {
    number += 1
    try Bookkeeping.transfer(number, in: realm)
    say(String(number))
}
