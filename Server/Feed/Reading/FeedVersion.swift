import CausewayModel
import CausewayStore

/// A version that is to be told: its candidates in an order that never changes. First come the rows that were born, then what
/// else was touched. A position counts them all, whoever reads.
struct FeedVersion {
    let record: VersionRecord
    /// How many candidates come before each birth.
    private let starts: [Int]
    private let bornCount: Int
    /// Ordered by class and row.
    private let births: [VersionRecord.Birth]
    /// The classes of the touched objects that are embedded in an object.
    private let parts: [ObjectName: Set<Int>]

    enum Candidate {
        /// - Parameter left: how many rows of the same birth follow, this one included.
        case birth(Row, left: Int)
        case touch(VersionRecord.Touch)
    }

    init(_ record: VersionRecord) {
        self.record = record
        var starts: [Int] = []
        var count = 0
        for birth in record.births {
            starts.append(count)
            count += birth.count
        }
        self.starts = starts
        bornCount = count
        births = record.births.sorted { ($0.classNumber, $0.keys.lowerBound) < ($1.classNumber, $1.keys.lowerBound) }
        var parts: [ObjectName: Set<Int>] = [:]
        for touch in record.touches {
            if let root = touch.root { parts[root, default: []].insert(touch.name.classNumber) }
        }
        self.parts = parts
    }

    var number: ServerVersion { record.version }
    var count: Int { bornCount + record.touches.count }

    /// Nil behind the last.
    func candidate(_ number: Int) -> Candidate? {
        if number < bornCount {
            let index = starts.partitioningIndex { $0 > number } - 1
            let (birth, offset) = (record.births[index], number - starts[index])
            let key = ObjectKey(birth.keys.lowerBound.rawValue + Int64(offset))
            return .birth(Row(birth.classNumber, key), left: birth.count - offset)
        }
        return number < count ? .touch(record.touches[number - bornCount]) : nil
    }

    /// Whether the version itself made the row: then it is told with the births.
    func isBorn(_ touch: VersionRecord.Touch) -> Bool {
        guard let key = touch.row else { return false }
        let place = (touch.name.classNumber, key)
        let index = births.partitioningIndex { ($0.classNumber, $0.keys.lowerBound) > place }
        return index > 0 && births[index - 1].classNumber == touch.name.classNumber
            && births[index - 1].keys.contains(key)
    }

    func touchedParts(of name: ObjectName) -> Set<Int> { parts[name] ?? [] }
}

extension VersionRecord {
    /// What it costs to go over it.
    var weight: Int { 1 + births.count + touches.count }
}

extension VersionRecord.Birth {
    fileprivate var count: Int { Int(keys.upperBound.rawValue - keys.lowerBound.rawValue) + 1 }
}
