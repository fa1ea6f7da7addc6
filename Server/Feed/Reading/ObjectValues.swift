package import CausewayModel
package import CausewayQuery

/// The values of one object, with the objects embedded in it.
package struct ObjectValues: Hashable, Sendable {
    package var className: String
    /// In the order of the schema, without properties that the reader may not read.
    package var properties: [Property]

    package init(className: String, properties: [Property] = []) {
        self.className = className
        self.properties = properties
    }

    package struct Property: Hashable, Sendable {
        package var name: String
        package var content: Content

        package init(name: String, content: Content) {
            self.name = name
            self.content = content
        }
    }

    package enum Content: Hashable, Sendable {
        case single(Item)
        /// A list, or a set in its order.
        case list([Item])
        /// In the order of the keys.
        case map([Entry])
    }

    package struct Entry: Hashable, Sendable {
        package var key: String
        package var item: Item

        package init(key: String, item: Item) {
            self.key = key
            self.item = item
        }
    }

    package indirect enum Item: Hashable, Sendable {
        case value(Value)
        /// Of a mixed property: it says its type itself.
        case mixed(Value)
        case link(ClassedLink)
        case embedded(ObjectValues)
        /// A collection inside of a mixed value.
        case nested(Content)
    }

    /// How deep embedded objects and collections inside of each other are followed; what is deeper is null. Devices decide how
    /// deep they nest them.
    package static let depthMax = 32
    /// After how many values, those of its parts among them, the parts of an object that follow are null. Devices decide how many
    /// they make.
    package static let itemsMax = 100_000
}

extension ObjectValues {
    /// Reads an object from wherever its values are. A part that it holds twice is read once, and is null from then on.
    ///
    /// - Parameter hidden: the properties that are left out, by their numbers in the class.
    package init(of object: some RowSource, _ className: String, in schema: Schema, without hidden: Set<Int> = []) {
        self.init(of: object, className, in: schema, without: hidden, depth: 0, PartsRead())
    }

    private init(
        of object: some RowSource, _ className: String, in schema: Schema, without hidden: Set<Int>, depth: Int,
        _ parts: PartsRead
    ) {
        self.init(className: className)
        guard let classSchema = schema[className] else { return }
        properties.reserveCapacity(classSchema.properties.count)
        for (number, property) in classSchema.properties.enumerated() where !hidden.contains(number) {
            let reading = Reading(
                schema: schema, target: property.target, isMixed: property.type == .mixed, depth: depth, parts: parts)
            properties.append(
                Property(name: property.name, content: reading.content(number, property, of: object, className)))
        }
    }

    private struct Reading {
        let schema: Schema
        let target: String?
        let isMixed: Bool
        let depth: Int
        /// Shared by all parts of the object.
        let parts: PartsRead

        func content(
            _ number: Int, _ property: CausewayModel.Property, of object: some RowSource, _ className: String
        ) -> Content {
            if property.collection == .none {
                parts.count(1)
                return .single(item(object.value(of: number, in: className), object))
            }
            let items = items(object.elements(of: number, in: className), object)
            guard property.collection == .map else { return .list(items) }
            return .map(Self.entries(object.elements(of: ~number, in: className), items))
        }

        private func items(_ values: [Value], _ source: some RowSource) -> [Item] {
            parts.count(values.count)
            return values.map { item($0, source) }
        }

        private static func entries(_ names: [Value], _ items: [Item]) -> [Entry] {
            zip(names, items).map { name, item in
                if case .string(let key) = name { Entry(key: key, item: item) } else { Entry(key: "", item: item) }
            }
        }

        private func item<Source: RowSource>(_ value: Value, _ source: Source) -> Item {
            switch value {
            case .link(let key):
                guard let target else { return .value(.null) }
                guard schema[target]?.kind == .embedded else { return .link(ClassedLink(target, key)) }
                return embedded(key, target, source)
            case .anyLink(let link):
                guard let kind = NestedCollection(className: link.className) else { return .link(link) }
                return nested(kind, link, source)
            default: return isMixed ? .mixed(value) : .value(value)
            }
        }

        private func embedded<Source: RowSource>(_ key: PrimaryKey, _ target: String, _ source: Source) -> Item {
            guard let child = part(key, target, source) else { return .value(.null) }
            return .embedded(ObjectValues(of: child, target, in: schema, without: [], depth: depth + 1, parts))
        }

        private func nested<Source: RowSource>(
            _ kind: NestedCollection, _ link: ClassedLink, _ source: Source
        ) -> Item {
            guard let child = part(link.key, link.className, source) else { return .value(.null) }
            let inside = Reading(schema: schema, target: nil, isMixed: true, depth: depth + 1, parts: parts)
            let column = NestedCollection.column
            let items = inside.items(child.elements(of: column, in: link.className), child)
            guard kind == .map else { return .nested(.list(items)) }
            return .nested(.map(Self.entries(child.elements(of: ~column, in: link.className), items)))
        }

        /// Nil for a part that is null: see `PartsRead` and `depthMax`.
        private func part<Source: RowSource>(_ key: PrimaryKey, _ className: String, _ source: Source) -> Source? {
            guard depth < ObjectValues.depthMax, parts.begins(key, in: className) else { return nil }
            return source.object(at: .link(key), in: className)
        }
    }
}
