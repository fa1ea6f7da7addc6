import Causeway
import Foundation

class Sample: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var kind: Int
    @Persisted var value: Double
    @Persisted var text: String
    @Persisted var payload: Data

    /// Bytes of one object in the file, about.
    static let sizeBytes = 560

    convenience init(number: Int) {
        self.init()
        id = number
        kind = number % 37
        value = Double(number &* 7919 % 100_003)
        text = String(repeating: "\(number &* 2_654_435_761) ", count: 16)
        payload = Data((0..<320).map { UInt8(truncatingIfNeeded: $0 &* number) })
    }
}

func open(_ path: String, encrypted: Bool) throws -> Realm {
    var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
    configuration.objectTypes = [Sample.self]
    if encrypted { configuration.encryptionKey = Data((0..<64).map { UInt8($0 * 3) }) }
    return try Realm(configuration: configuration)
}
