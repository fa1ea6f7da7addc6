extension RealmCollection where Element: Encodable {
    fileprivate func encodeElements(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension Results: Encodable where Element: Encodable {
    /// Writes the elements in order, as an array.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension LinkingObjects: Encodable where Element: Encodable {
    /// Writes the elements, as an array.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    /// Writes the elements in order, as an array.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension ResultsSection: Encodable where Element: Encodable {
    /// Writes the elements of the section in order, as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension SectionedResults: Encodable where Key: Encodable, SectionElement: Encodable {
    /// Writes the sections in order, each as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for section in self { try container.encode(section) }
    }
}
