import CausewayMeasuring
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Foundation

/// Two devices insert into one list without hearing of each other; then one takes in what the other did.
struct ListMergeBenchmarks {
    let smoke: Bool
    private let group = MergeBenchmarks.group

    private struct WrongList: Error, CustomStringConvertible {
        let description: String
    }

    private struct Writer {
        var list: ListState
        var operations: [ListOperation] = []
    }

    /// Where a device inserts.
    private enum Habit: String, CaseIterable {
        /// Three of four inserts stand behind the one before, as one types; the others anywhere.
        case anywhere = "in short runs anywhere"
        case atEnd = "at the end"
        case atStart = "at the start"
    }

    func run(_ report: ([Row]) -> Void) throws {
        let sizes = smoke ? [1_000, 2_000] : [10_000, 20_000, 40_000, 80_000, 160_000, 320_000]
        for habit in Habit.allCases {
            var nanosecondsEach: [Double] = []
            for size in sizes {
                let (time, merged) = try merge(size, habit)
                nanosecondsEach.append(time.median / Double(2 * size))
                if size == sizes[0] {
                    report([
                        .less(
                            group, "\(size) + \(size) concurrent list inserts \(habit.rawValue)", "ms",
                            ours: time.median / 1e6, most: smoke ? nil : 300, under: .hot(time))
                    ])
                }
                if size == sizes.last { try reportLargest(size, habit, time, nanosecondsEach, merged, report) }
            }
        }
    }

    private func reportLargest(
        _ size: Int, _ habit: Habit, _ time: Sample, _ each: [Double], _ merged: ListState, _ report: ([Row]) -> Void
    ) throws {
        let doublings = zip(each.dropFirst(), each).map { 2 * $0 / $1 }
        let encoded = merged.encoded()
        let memory = try bytesInMemory(ofEachOf: 4) { try ListState(encoded: encoded) }
        report([
            .less(group, "\(size) + \(size) of them", "ms", ours: time.median / 1e6, under: .hot(time)),
            .less(
                group, "twice the work takes, the worst of \(doublings.count) doublings, at most", "times",
                ours: doublings.max() ?? 0, most: smoke ? nil : 2.4),
            .less(
                group, "the merged list at rest and on the wire", "bytes/element",
                ours: Double(encoded.count) / Double(merged.count)),
            .less(group, "the merged list in memory", "bytes/element", ours: memory / Double(merged.count)),
        ])
    }

    /// Both directions are checked; the time is that of one device joining its own inserts and the other's.
    private func merge(_ size: Int, _ habit: Habit) throws -> (sample: Sample, merged: ListState) {
        var random = SeededNumbers(seed: 7)
        var common = ListState()
        for index in 0..<100 {
            common.join(
                common.insertion(
                    of: .int(Int64(index)), at: index, id: ElementID(client: ClientID(9), counter: UInt64(index + 1))),
                stamp: Stamp(time: 1, client: ClientID(9)))
        }
        let left = write(ClientID(1), size, habit, onto: common, &random)
        let right = write(ClientID(2), size, habit, onto: common, &random)
        var merged = common
        let time = measure(runs: smoke ? 1 : 5, operations: 1) {
            merged = common
            join(left.operations, of: ClientID(1), into: &merged)
            join(right.operations, of: ClientID(2), into: &merged)
        }
        var other = right.list
        join(left.operations, of: ClientID(1), into: &other)
        guard merged == other else { throw WrongList(description: "two orders of merging give different lists") }
        return (time, merged)
    }

    private func write(
        _ client: ClientID, _ size: Int, _ habit: Habit, onto start: ListState, _ random: inout SeededNumbers
    ) -> Writer {
        var writer = Writer(list: start)
        writer.operations.reserveCapacity(size)
        var place = 0
        for index in 0..<size {
            switch habit {
            case .atEnd: place = writer.list.count
            case .atStart: place = 0
            case .anywhere: place = random.below(4) == 0 ? random.below(writer.list.count + 1) : place + 1
            }
            let operation = writer.list.insertion(
                of: .int(Int64(index)), at: place, id: ElementID(client: client, counter: UInt64(index + 1)))
            writer.list.join(operation, stamp: Stamp(time: 2, client: client))
            writer.operations.append(operation)
        }
        return writer
    }

    private func join(_ operations: [ListOperation], of client: ClientID, into list: inout ListState) {
        for operation in operations { list.join(operation, stamp: Stamp(time: 2, client: client)) }
    }
}
