import CausewayModel
import CausewayObjectStore

/// What a program is told to do with the file that it has open. It can be sent to another process.
package enum MigrationStep: Codable, Sendable {
    /// Lets go of all it knows of the file, and reads the newest version.
    case reopen
    /// Asks for the tables of these classes and the places of their columns, and keeps them. Nothing of others is known.
    case take([String])
    /// Moves the open transaction to the newest version, to read or to write.
    case move(writing: Bool)
    case create(String, id: Int64)
    case delete(String, Int64)
    case set(String, Int64, String, Scalar)
    case append(String, Int64, String, Scalar)
    case commit
    case abort
    /// In a transaction of its own, while the open one stays where it is.
    case migrate(Migration)
    case show([String: Questions])
    /// Compares every index, link, list and count of the file with each other.
    case verify
}

/// What it answers.
package enum MigrationAnswer: Codable, Sendable {
    case done
    /// What the record of changes says of the way there; nil when it no longer reaches back so far.
    case moved([String: ShownChanges]?)
    /// The file has other classes than the open transaction knows.
    case refused
    case made(Int64)
    case shown([String: ShownClass])
    case problems([String])
    case failed(String)
}

/// From the classes that there are to those that are wanted.
package struct Migration: Codable, Sendable {
    package var wanted: [String: [PropertyRecord]]
    package var removed: String?
    package var commits: Bool
}

package struct PropertyRecord: Codable, Sendable {
    private let name: String
    private let type: UInt8
    private let isList: Bool
    private let isPrimaryKey: Bool
    private let isOptional: Bool
    private let isIndexed: Bool
    private let isFullTextIndexed: Bool
    private let target: String?

    init(_ property: Property) {
        name = property.name
        type = property.type.rawValue
        isList = property.collection == .list
        isPrimaryKey = property.isPrimaryKey
        isOptional = property.isOptional
        isIndexed = property.isIndexed
        isFullTextIndexed = property.isFullTextIndexed
        self.target = property.target
    }

    func property() throws -> Property {
        guard let type = PropertyType(rawValue: type) else { throw MigrationFailure("no type has the number \(type)") }
        var property = Property(
            name: name, type: type, collection: isList ? .list : .none, isOptional: isOptional,
            isPrimaryKey: isPrimaryKey, target: target)
        property.isIndexed = isIndexed
        property.isFullTextIndexed = isFullTextIndexed
        return property
    }
}

/// A value of one of the types that a `MigrationModel` has, bit by bit: texts that are one to Unicode are two, and so are 0
/// and −0. JSON has no NaN, and no integer that all readers read beyond 63 bits.
package enum Scalar: Codable, Hashable, Sendable {
    case null
    case int(Int64)
    case double(bits: Int64)
    case string([UInt8])
    case object(Int64)

    /// A value as it is, a NaN with its payload.
    init(_ value: Value) throws {
        switch value {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(bits: Int64(bitPattern: value.bitPattern))
        case .string(let value): self = .string(Array(value.utf8))
        case .object(let key): self = .object(key.rawValue)
        default: throw MigrationFailure("\(value) is of no type that a migration's model has")
        }
    }

    /// A value as a file keeps it: one NaN stands for all.
    init(stored value: Value) throws {
        if case .double(let number) = value, number.isNaN {
            self = .double(bits: 0x7FF8_0000_0000_0000)
        } else {
            try self.init(value)
        }
    }

    var value: Value {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .double(let bits): .double(Double(bitPattern: UInt64(bitPattern: bits)))
        case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .object(let key): .object(ObjectKey(key))
        }
    }
}

extension Scalar: CustomStringConvertible {
    package var description: String {
        switch self {
        case .double(let bits): "\(value) (\(String(UInt64(bitPattern: bits), radix: 16)))"
        case .string(let bytes): "\(value) (\(bytes))"
        default: "\(value)"
        }
    }
}

/// What to show of a class.
package struct Questions: Codable, Sendable {
    var properties: [String] = []
    var lists: [String] = []
    /// Queries, as texts. Each is bound when it is first asked, and kept.
    var queries: [String] = []
}

package struct ShownClass: Codable, Equatable, Sendable {
    var count = 0
    /// By key, then by property; of one value an array of one.
    var rows: [Int64: [String: [Scalar]]] = [:]
    /// The keys that a query finds.
    var found: [String: [Int64]] = [:]
}

package struct ShownChanges: Codable, Sendable {
    var inserted: [Int64] = []
    var deleted: [Int64] = []
    /// By key, the properties.
    var modified: [Int64: [String]] = [:]
}

package struct MigrationFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// A program that has the file open, here or in another process.
package protocol MigratingProgram {
    func perform(_ step: MigrationStep) throws -> MigrationAnswer

    /// Ends the program wherever it stands, and starts it again. False, and nothing, where it is no process of its own.
    func die() throws -> Bool
}
