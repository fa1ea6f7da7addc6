import CausewayMigrationSequences
import CausewayObjectStore
import Foundation

// Holds a file open and does what each line tells it: a step as JSON, answered by a line of JSON. The argument is the path.
guard CommandLine.arguments.count == 2 else {
    print("CausewayMigrationPeer FILE")
    exit(2)
}
let program = try StoreProgram(ObjectStore.open(path: CommandLine.arguments[1]))
let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
while let line = readLine() {
    let answer: MigrationAnswer
    do {
        answer = try program.perform(decoder.decode(MigrationStep.self, from: Data(line.utf8)))
    } catch {
        answer = .failed("\(error)")
    }
    try FileHandle.standardOutput.write(contentsOf: encoder.encode(answer) + Data("\n".utf8))
}
