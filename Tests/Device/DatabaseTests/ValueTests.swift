import Causeway
import CausewayModel
import CausewaySeeds
import Foundation
import Synchronization
import Testing

@Suite("ObjectId")
struct ObjectIdTests {
    @Test("text of 24 digits becomes an id and comes back in lower case")
    func text() throws {
        let id = try ObjectId(string: "11223344556677889900AABB")
        #expect(id == ObjectId("11223344556677889900aabb"))
        #expect(id.stringValue == "11223344556677889900aabb")
        #expect("\(id)" == "11223344556677889900aabb")
        #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
    }

    @Test(
        "any other text is invalid input",
        arguments: ["", "1122", "11223344556677889900aabbc", "11223344556677889900aabg", "éé223344556677889900aabb"])
    func otherText(text: String) {
        #expect {
            _ = try ObjectId(string: text)
        } throws: { error in
            guard case Realm.Error.invalidInput = error else { return false }
            return error.localizedDescription.contains("must be 24 hex digits")
        }
    }

    @Test("generated ids differ, and sort by the second they were made in")
    func generate() {
        let ids = (0..<10_000).map { _ in ObjectId.generate() }
        #expect(Set(ids).count == ids.count)
        #expect(abs(ids[0].timestamp.timeIntervalSinceNow) < 5)
        let early = ObjectId(timestamp: Date(timeIntervalSince1970: 1_000), machineId: 1, processId: 2)
        let late = ObjectId(timestamp: Date(timeIntervalSince1970: 1_001), machineId: 1, processId: 2)
        #expect(early < late)
        #expect(early.timestamp == Date(timeIntervalSince1970: 1_000))
        #expect(early < ids[0])
    }

    @Test("an id is a string of JSON")
    func coding() throws {
        let id = ObjectId.generate()
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id.stringValue)\"]")
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
    }
}

@Suite("Values on their way to the store and back")
struct ValueTests {
    private static let seeds = SeedList.drawn(for: "dates", count: 1)

    private func returned<T: _PersistableScalar>(_ value: T) -> T? {
        T(_stored: value._stored)
    }

    @Test("every scalar comes back as it was")
    func scalars() {
        #expect(returned(Int8.min) == .min)
        #expect(returned(Int16.max) == .max)
        #expect(returned(Int32.min) == .min)
        #expect(returned(Int64.max) == .max)
        #expect(returned(Float(1.1)) == 1.1)
        #expect(returned("Ünicode 🐕") == "Ünicode 🐕")
        #expect(returned(Data([0, 255, 1])) == Data([0, 255, 1]))
        #expect(returned(ObjectId("11223344556677889900aabb")) == ObjectId("11223344556677889900aabb"))
        let uuid = UUID()
        #expect(returned(uuid) == uuid)
    }

    @Test("a UUID is stored as its sixteen bytes in order")
    func uuid() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(uuid._stored.value == .uuid(UUID16(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)))
    }

    @Test("a number too wide for its property is not cut")
    func narrow() {
        #expect(Int8(_stored: _StoredValue(.int(200))) == nil)
        #expect(Int16(_stored: _StoredValue(.string("1"))) == nil)
    }

    @Test(
        "a date comes back equal, its parts of one sign",
        arguments: [0, 0.5, -0.5, -1.25, 978_307_200, 1_700_000_000.123456, -62_135_769_600.75, 1e-7, 4e9 + 1.0 / 3])
    func dates(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(returned(date) == date)
        guard case .timestamp(let timestamp) = date._stored.value else {
            Issue.record("not a timestamp")
            return
        }
        #expect(timestamp.seconds.signum() * Int64(timestamp.nanoseconds.signum()) >= 0)
        #expect(abs(timestamp.nanoseconds) < 1_000_000_000)
    }

    @Test("dates that no calendar has are held at a border instead of trapping")
    func strangeDates() {
        #expect(returned(Date(timeIntervalSinceReferenceDate: .nan)) == Date(timeIntervalSince1970: 0))
        #expect(returned(Date(timeIntervalSinceReferenceDate: .infinity)) != nil)
        #expect(returned(Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude)) != nil)
        #expect(returned(Date.distantPast) == .distantPast)
        #expect(returned(Date.distantFuture) == .distantFuture)
        #expect(Date(_stored: _StoredValue(.timestamp(Timestamp(seconds: .min, nanoseconds: .min)))) != nil)
    }

    @Test("random dates of these centuries come back equal", arguments: seeds)
    func randomDates(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<20_000 {
            let seconds = (Double(numbers.next() >> 11) / Double(1 << 53) - 0.5) * 8e9
            // Beyond the nanosecond, which the store counts in, a date near 2001 cannot be kept.
            let date = Date(timeIntervalSinceReferenceDate: (seconds * 1e6).rounded() / 1e6)
            #expect(returned(date) == date, "seed \(seed), \(seconds)")
        }
    }
}

@Suite("Errors, loggers and sort descriptors")
struct SmallValueTests {
    @Test("an error is caught by its code, and speaks through every door of Foundation")
    func errors() {
        let url = URL(fileURLWithPath: "/tmp/x.realm")
        let error: any Error = Realm.Error(.outOfDiskSpace, "The disk is full. Make room.", fileURL: url)
        switch error {
        case Realm.Error.fileAccess: Issue.record("the wrong code matched")
        case Realm.Error.outOfDiskSpace: break
        default: Issue.record("no code matched")
        }
        #expect(error.localizedDescription == "The disk is full. Make room.")
        #expect((error as NSError).domain == "io.realm")
        #expect((error as NSError).code == 14)
        #expect((error as NSError).userInfo[NSFilePathErrorKey] as? String == "/tmp/x.realm")
        #expect((error as? Realm.Error)?.fileURL == url)
    }

    @Test("a logger passes what its level lets through, and makes no text for the rest")
    func logger() {
        let lines = Mutex<[String]>([])
        let logger = Logger(level: .info) { level, message in
            lines.withLock { $0.append("\(level) \(message)") }
        }
        let made = Mutex(0)
        func text(_ text: String) -> String {
            made.withLock { $0 += 1 }
            return text
        }
        logger.log(level: .error, message: text("one"))
        logger.log(level: .debug, message: text("two"))
        logger.level = .all
        logger.log(level: .trace, message: text("three"))
        logger.level = .off
        logger.log(level: .fatal, message: text("four"))
        #expect(lines.withLock { $0 } == ["error one", "trace three"])
        #expect(made.withLock { $0 } == 2)
    }

    @Test("a sort descriptor is made from text, a literal or a key path, and turns round")
    func sortDescriptors() {
        let literal: Causeway.SortDescriptor = "name"
        #expect(literal == SortDescriptor(keyPath: "name", ascending: true))
        #expect(literal.reversed() == SortDescriptor(keyPath: "name", ascending: false))
        #expect(SortDescriptor(keyPath: \QueriedPerson.address?.city).keyPath == "address.city")
    }
}
