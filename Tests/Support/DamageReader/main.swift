import Causeway
import Foundation

// Damages copies of a file, one a seed, and works with each of them as an app would.
//
//     CausewayDamageReader <folder> plain|encrypted <seed>,<seed>,…
//
// It says one line a seed: `right` when every answer was that of the sound file, `told` when a call threw
// `Realm.Error`, `stopped` when a read met damage and could not throw (the program ends then, with code 3), and `wrong`
// with the reason. Before it works with a file it verifies it: damage that work meets is damage that this has found.
// Whoever started it starts it again with the seeds that are left.

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let arguments = CommandLine.arguments
let seeds = arguments.count == 4 ? arguments[3].split(separator: ",").compactMap { UInt64($0) } : []
guard !seeds.isEmpty else {
    FileHandle.standardError.write(Data("usage: \(arguments[0]) <folder> plain|encrypted <seed>,<seed>,…\n".utf8))
    exit(64)
}
let folder = URL(fileURLWithPath: arguments[1])
let isEncrypted = arguments[2] == "encrypted"

func configuration(_ name: String) -> Realm.Configuration {
    var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent(name))
    configuration.objectTypes = [Member.self, Club.self]
    if isEncrypted { configuration.encryptionKey = Data((0..<64).map { UInt8($0) }) }
    return configuration
}

let sound = configuration("sound.realm")
if !Realm.fileExists(for: sound) { try DamageFile.write(sound) }
let soundBytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("sound.realm")))

/// The answers of the sound file, each order of steps on a copy of its own because some of them write.
func expectedAnswers(_ order: Work.Order) throws -> [String] {
    let name = "expected \(order).realm"
    let noted = folder.appendingPathComponent("expected \(order).txt")
    if let text = try? String(contentsOf: noted, encoding: .utf8) {
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    try Data(soundBytes).write(to: folder.appendingPathComponent(name))
    let realm = try Realm(configuration: configuration(name))
    let answers = try Work.steps(order).map { try $0.run(realm) }
    try Data(answers.joined(separator: "\n").utf8).write(to: noted)
    return answers
}

// Both are written by the one thread there is.
nonisolated(unsafe) var place = ""
nonisolated(unsafe) var isFoundSound = false
Realm.damageHandler = { error in
    let isTyped = error.code == .invalidDatabase && error.message.contains("estore") && !isFoundSound
    let verified = isFoundSound ? "sound" : "damaged"
    say(isTyped ? "\(place) stopped: \(error.message)" : "\(place) wrong: verified as \(verified): \(error)")
    _exit(3)
}

/// Works with a damaged copy; says what came of it.
func verdict(_ seed: UInt64) throws -> String {
    let order = Work.Order.allCases[Int(seed / 8 % UInt64(Work.Order.allCases.count))]
    let expected = try expectedAnswers(order)
    let damage = Damage(seed: seed, fileSize: soundBytes.count, isEncrypted: isEncrypted)
    var bytes = soundBytes
    damage.apply(to: &bytes)
    let damaged = configuration("damaged \(seed).realm")
    try Data(bytes).write(to: folder.appendingPathComponent("damaged \(seed).realm"))
    defer { _ = try? Realm.deleteFiles(for: damaged) }
    place = "\(seed) opening after \(damage)".prefix(100).replacingOccurrences(of: "\n", with: " ")
    do {
        isFoundSound = try Realm.verify(damaged).isSound
    } catch is Realm.Error {
        isFoundSound = false
    }
    let realm: Realm
    do {
        realm = try Realm(configuration: damaged)
    } catch let error as Realm.Error {
        return isFoundSound ? "wrong: verified as sound: \(error)" : "told: \(error.code.rawValue) \(error.message)"
    }
    var isTold: String?
    for (step, expected) in zip(Work.steps(order), expected) {
        place = "\(seed) \(step.name) in order \(order) after \(damage)".prefix(160).description
        do {
            let answer = try step.run(realm)
            // What was not written cannot be read afterwards: from there on every answer has another right one.
            if answer != expected, isTold == nil { return "wrong: \(place): \(answer), expected \(expected)" }
        } catch let error as Realm.Error where error.code == .invalidDatabase {
            if isFoundSound { return "wrong: \(place): verified as sound, and then told: \(error.message)" }
            isTold = isTold ?? "told: \(step.name): \(error.message)"
        }
    }
    return isTold ?? "right"
}

for seed in seeds {
    place = "\(seed)"
    say("\(seed) \(try verdict(seed))")
}
