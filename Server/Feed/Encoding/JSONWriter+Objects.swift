package import CausewayJSON

// Objects in the JSON forms of the data API. FEED.md says what else holds here.

extension JSONWriter {
    package mutating func write(_ object: ObjectValues) {
        self.object { $0.writeProperties(of: object) }
    }

    private mutating func writeProperties(of object: ObjectValues) {
        for property in object.properties {
            name(property.name)
            write(property.content)
        }
    }

    /// What one property holds.
    package mutating func write(_ content: ObjectValues.Content) {
        switch content {
        case .single(let item): write(item)
        case .list(let items): array(items) { $1.write($0) }
        case .map(let entries):
            let hasTags = entries.contains { $0.key.isTag }
            openMap(hasTags: hasTags)
            for entry in entries {
                name(entry.key)
                write(entry.item)
            }
            closeMap(hasTags: hasTags)
        }
    }

    private mutating func write(_ item: ObjectValues.Item) {
        switch item {
        case .value(let value): write(typed: value)
        case .mixed(let value): write(mixed: value)
        case .link(let link): write(link: link)
        case .embedded(let object):
            let hasTags = object.properties.first?.name.isTag ?? false
            openMap(hasTags: hasTags)
            writeProperties(of: object)
            closeMap(hasTags: hasTags)
        case .nested(let content): write(content)
        }
    }
}
