import CausewaySeeds
import CausewayStorage
import Foundation

// A process that shares a file with others, until its input ends or it is killed. It says on its output what it did.
//
//     CausewaySharingPeer <file> hold <count>      pins the newest state so many times
//                                write             takes the writer's right and begins a commit
//                                watch             says when another process has committed
//                                count             after a line of input, takes the writer's right until the next one
//                                live <seed>       writes and reads a file of cells, and says when one is wrong

/// Goes to the other end at once, in one call: a line is there whole or not at all.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// The test holds the other end of the input: when that is gone, so is the test.
func waitForTheEnd() -> Never {
    while readLine() != nil {}
    exit(0)
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    FileHandle.standardError.write(Data("usage: \(arguments[0]) <file> hold|write|watch|count|live\n".utf8))
    exit(64)
}
let cells = CellFile(path: arguments[1])
let state = try cells.openState()
let lock = WriterLock(state)

switch arguments[2] {
case "hold":
    // Held until the process ends: nothing unpins them.
    let pins = (0..<Int(arguments[3])!).map { _ in state.pin() }
    say("holding \(pins[0].transaction)")
    waitForTheEnd()
case "write":
    try lock.wait(for: lock.takeTicket())
    state.beginCommitting(state.takeBirth())
    say("writing")
    waitForTheEnd()
case "watch":
    let observation = state.observeOtherProcesses { say("newest is \(state.newest)") }
    say("watching")
    withExtendedLifetime(observation) { waitForTheEnd() }
case "count":
    say("ready")
    _ = readLine()
    let isOver = Flag()
    Thread.detachNewThread {
        _ = readLine()
        isOver.set()
    }
    var count = 0
    while !isOver.isSet {
        try lock.wait(for: lock.takeTicket())
        lock.release()
        count += 1
    }
    say("\(count)")
case "live":
    let seed = UInt64(arguments[3])!
    say("living")
    Thread.detachNewThread { waitForTheEnd() }
    for reader in 0..<2 {
        Thread.detachNewThread {
            var random = SeededNumbers(seed: seed &* 4 &+ UInt64(reader))
            while true { cells.read(state, &random) }
        }
    }
    var random = SeededNumbers(seed: seed &* 4 &+ 3)
    while true { try cells.commit(state, lock, &random) }
default:
    exit(64)
}
