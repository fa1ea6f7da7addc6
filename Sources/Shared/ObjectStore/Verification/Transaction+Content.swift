import CausewayModel
import CausewayOperations
import CausewayStorage

// The whole content of a file as bytes, in one order: what two files are compared by that should be equal.

extension Transaction {
    /// Visits everything that a later transaction could depend on: the catalog with its counters, the rows with their
    /// values and collections, what is linked to and not here, and the trees under a name. Two files with one past are
    /// visited alike, wherever their pages lie and however often they were opened or copied.
    ///
    /// - Complexity: that of reading the whole file.
    package func visitContent(_ visit: (UnsafeRawBufferPointer) -> Void) {
        func tell(_ write: (inout ByteWriter) -> Void) {
            var writer = ByteWriter()
            write(&writer)
            writer.bytes.withUnsafeBytes(visit)
        }
        func tell(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
            tell {
                $0.write(bytes: Array(key))
                $0.write(bytes: Array(value))
            }
        }
        var trees: [String] = []
        reader.scan(tree: FixedTree.catalog, from: [], upTo: nil, reversed: false) { key, value in
            tell(key, value)
            if key.first == CatalogKey.tree("").first { trees.append(String(decoding: key.dropFirst(), as: UTF8.self)) }
            return true
        }
        for name in trees {
            tell { $0.write(string: name) }
            tree(name).scan {
                tell($0, $1)
                return true
            }
        }
        for table in tables {
            tell { $0.write(string: table.schema.name) }
            table.forEachKey { key in
                tell { table.write(key, into: &$0) }
                return true
            }
            table.forEachGhost { key in
                guard let name = table.primaryKey(of: key) else { return }
                tell {
                    $0.write(signed: key.rawValue)
                    $0.write(name)
                }
            }
        }
    }
}

extension Table {
    fileprivate func write(_ key: ObjectKey, into writer: inout ByteWriter) {
        writer.write(signed: key.rawValue)
        if let name = primaryKey(of: key) { writer.write(name) }
        for (column, property) in schema.properties.enumerated() {
            guard property.collection != .none else {
                writer.write(stored: value(key, column))
                continue
            }
            let values = listValues(key, column)
            writer.write(varint: UInt64(values.count))
            for value in values { writer.write(stored: value) }
            if property.collection == .map { for name in mapKeys(key, column) { writer.write(string: name) } }
        }
    }

    fileprivate func forEachGhost(_ body: (ObjectKey) -> Void) {
        for number in leafNumbers {
            for slot in 0..<slotsPerLeaf {
                let key = ObjectKey(Int64(number * slotsPerLeaf + slot))
                if key.rawValue < nextKey, isGhost(key) { body(key) }
            }
        }
    }
}

extension ByteWriter {
    /// A value with the rows that it links to, as they are numbered in the file.
    fileprivate mutating func write(stored value: Value) {
        switch value {
        case .object(let key):
            write(byte: 0xFE)
            write(signed: key.rawValue)
        case .anyObject(let object):
            write(byte: 0xFF)
            write(varint: UInt64(object.classNumber))
            write(signed: object.key.rawValue)
        default: write(value)
        }
    }
}
