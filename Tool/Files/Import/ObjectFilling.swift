import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// Sets the properties of objects from their JSON forms, within one transaction after the other.
final class ObjectFilling {
    let transaction: Transaction
    let missingLinks: ObjectImport.MissingLinks
    /// Whether a link to an object without a primary key names its row in the file (`$row`), and not its number in an export.
    let linksNameRows: Bool
    /// The name of an embedded object or of a collection in a mixed value; nil where they have none, as in a local file.
    let container: () throws -> PrimaryKey?
    /// Links that were set to null, or left out of their list or set.
    var missingLinkCount = 0
    private(set) var classes: ExactDictionary<ImportedClass> = [:]

    init(
        _ transaction: Transaction, _ missingLinks: ObjectImport.MissingLinks, linksNameRows: Bool = false,
        container: @escaping () throws -> PrimaryKey? = { nil }
    ) {
        self.container = container
        self.transaction = transaction
        self.linksNameRows = linksNameRows
        self.missingLinks = missingLinks
    }

    /// Which properties of an object are set.
    enum Part {
        case plainCollections, links, all

        func takes(_ property: Property) -> Bool {
            switch self {
            case .plainCollections: property.isPlain && property.collection != .none
            case .links: !property.isPlain
            case .all: !property.isPlain || property.collection != .none
            }
        }
    }

    /// The plan of a class of the file; nil if it has none of this name.
    func imported(_ name: String) -> ImportedClass? {
        if let known = classes[name] { return known }
        guard NestedCollection(className: name) == nil, let table = transaction.table(name) else { return nil }
        let imported = ImportedClass(table)
        classes[name] = imported
        return imported
    }

    func primaryKey(_ members: [JSON.Member], _ imported: ImportedClass, _ column: Int) throws -> PrimaryKey {
        let property = imported.table.schema.properties[column]
        guard let member = members.first(where: { $0.name.string.isSame(as: property.name) }) else {
            throw FileFailure("The object has no '\(property.name)', which is its primary key.")
        }
        do throws(ValueReader.Failure) {
            return try ValueReader.key(member.value, property)
        } catch {
            throw unexpected(error.expected, imported.table, column)
        }
    }

    static func words(_ key: PrimaryKey) -> String {
        var writer = JSONWriter()
        writer.write(key)
        return String(String(decoding: writer.bytes, as: UTF8.self).prefix(100))
    }

    /// The plain values of an object, and null for all others.
    func row(of members: [JSON.Member], _ imported: ImportedClass) throws -> [Value] {
        var row = imported.zeros
        for member in members {
            let column = try imported.column(member.name)
            let property = imported.table.schema.properties[column]
            guard property.isPlain, property.collection == .none else { continue }
            row[column] = try plainValue(member.value, imported.table, column)
        }
        return row
    }

    /// Sets some properties of an object that is here.
    func fill(
        _ members: [JSON.Member], _ key: ObjectKey, _ imported: ImportedClass, _ part: Part, depth: Int
    ) throws {
        let table = imported.table
        for member in members {
            let column = try imported.column(member.name)
            let property = table.schema.properties[column]
            guard part.takes(property) else { continue }
            switch property.collection {
            case .none: table.set(key, column, try value(member.value, table, column, depth: depth) ?? .null)
            case .list: table.listReplace(key, column, try elements(member.value, table, column, depth: depth))
            case .set: table.setReplace(key, column, try elements(member.value, table, column, depth: depth))
            case .map: table.mapReplace(key, column, try entries(member.value, table, column, depth: depth))
            }
        }
    }
}
