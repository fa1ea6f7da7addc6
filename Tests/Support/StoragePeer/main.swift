import CausewayStorage
import Foundation
import Synchronization

// A process that shares a store with others, until its input ends or it is killed.
//
//     CausewayStoragePeer <file> begin             makes the file's first commit
//                                live <seed>       writes, reads and checks, and says what it has committed
//                                commit            commits once for each line of input
//                                hold              holds a snapshot
//                                grow              commits a leaf of 600 KiB for each line of input
//                                check             says the version of a state that adds up
//                                limited <M> <N>   says which version it finds with a map of M MiB, 0 for any, while it may
//                                                  have N MiB of addresses beside those that it has
//
// "encrypted" as the last argument stands for a file with a key.

/// Goes to the other end at once, in one call: a line is there whole or not at all.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Set when somebody says "end", or the other end of the input is gone.
final class End: Sendable {
    private let word = Atomic(false)

    var hasCome: Bool { word.load(ordering: .acquiring) }

    func wait() {
        while let line = readLine(), line != "end" {}
        word.store(true, ordering: .releasing)
    }
}

/// The process may have so many bytes of addresses beside those that it has by now.
func limitAddresses(toMore bytes: Int) {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first
    guard let pages = pages.flatMap({ Int($0) }) else { exit(70) }
    let limit = rlim_t(pages * sysconf(Int32(_SC_PAGESIZE)) + bytes)
    var limits = rlimit(rlim_cur: limit, rlim_max: limit)
    if setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits) != 0 { exit(70) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    FileHandle.standardError.write(
        Data("usage: \(arguments[0]) <file> begin|live|commit|hold|grow|check|limited\n".utf8))
    exit(64)
}
let key: [UInt8]? =
    arguments.last == "encrypted" ? (0..<64).map { UInt8($0 * 3) } : nil
let options = StorageOptions(mapSizeBytes: 1 << 30, encryptionKey: key)

do {
    switch arguments[2] {
    case "begin":
        let writer = try StorageRegistry.shared.open(path: arguments[1], options: options).write()
        Ledger.begin(in: writer)
        say("begun at \(try writer.commit(.durable).version)")
    case "live":
        let end = End()
        Thread.detachNewThread { end.wait() }
        var life = Life(path: arguments[1], options: options, seed: UInt64(arguments[3]) ?? 0)
        try life.run { end.hasCome }
    case "commit":
        let storage = try StorageRegistry.shared.open(path: arguments[1], options: options)
        say("ready")
        while readLine() != nil {
            let writer = try storage.write()
            [UInt8(1)].withUnsafeBytes { writer.put(tree: 9, key: $0, value: $0) }
            say("committed \(try writer.commit(.relaxed).version)")
        }
    case "hold":
        let snapshot = try StorageRegistry.shared.open(path: arguments[1], options: options).snapshot()
        say("holding \(snapshot.version)")
        while readLine() != nil {}
        withExtendedLifetime(snapshot) {}
    case "grow":
        let storage = try StorageRegistry.shared.open(path: arguments[1], options: options)
        say("ready")
        var number: UInt32 = 0
        while readLine() != nil {
            let writer = try storage.write()
            [UInt8](repeating: 1, count: 600 << 10).withUnsafeBytes {
                writer.replaceLeaf(column: 1, number: number, $0)
            }
            number += 1
            say("committed \(try writer.commit(.relaxed).version)")
        }
    case "check":
        let snapshot = try StorageRegistry.shared.open(path: arguments[1], options: options).snapshot()
        try Ledger.check(snapshot)
        say("sound \(snapshot.version)")
    case "limited":
        guard arguments.count >= 5, let map = Int(arguments[3]), let more = Int(arguments[4]) else { exit(64) }
        var limited = options
        limited.mapSizeBytes = map > 0 ? map << 20 : nil
        limitAddresses(toMore: more << 20)
        do throws(StorageError) {
            let storage = try StorageRegistry.shared.open(path: arguments[1], options: limited)
            say("found \(try storage.newestVersion())")
        } catch {
            say("\(error.code)")
        }
    default:
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("broken: \(error)\n".utf8))
    exit(1)
}
