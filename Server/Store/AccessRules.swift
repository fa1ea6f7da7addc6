import CausewayModel
package import CausewayQuery

/// What one caller may do with the objects of each class: the operator's rules, with the caller's claims put in.
package struct AccessRules: Hashable, Sendable {
    package var byClass: [String: OfClass]
    /// For classes that have no rules of their own.
    package var otherwise: OfClass
    /// Whether the caller's devices may add missing classes and properties to the schema.
    package var mayExtendSchema: Bool

    package init(
        byClass: [String: OfClass] = [:], otherwise: OfClass = OfClass(), mayExtendSchema: Bool = true
    ) {
        self.byClass = byClass
        self.otherwise = otherwise
        self.mayExtendSchema = mayExtendSchema
    }

    package subscript(className: String) -> OfClass { byClass[className] ?? otherwise }

    /// One answer about objects.
    package enum Rule: Hashable, Sendable {
        case always
        case never
        /// For the objects that match. A comparison that cannot be bound to the schema is unknown, and an unknown
        /// outcome permits nothing: see `AccessRules+Binding`.
        case when(Predicate)
    }

    package struct OfClass: Hashable, Sendable {
        package var read: Rule
        package var create: Rule
        package var write: Rule
        package var delete: Rule
        package var properties: [String: OfProperty]

        package init(
            read: Rule = .always, create: Rule = .always, write: Rule = .always, delete: Rule = .always,
            properties: [String: OfProperty] = [:]
        ) {
            self.read = read
            self.create = create
            self.write = write
            self.delete = delete
            self.properties = properties
        }
    }

    /// Rules of a property, on top of its class's: a property can be read where its object can and its own rule permits
    /// it.
    package struct OfProperty: Hashable, Sendable {
        package var read: Rule
        package var write: Rule

        package init(read: Rule = .always, write: Rule = .always) {
            self.read = read
            self.write = write
        }
    }
}

// MARK: - The fingerprint

extension AccessRules {
    /// Identifies what these rules let a caller read: equal for equal read rules, in every process. Zero when they
    /// permit everything, which is also what a device that never heard of rules sends.
    package var fingerprint: UInt64 {
        let texts = byClass.sorted { $0.key < $1.key }.map { ($0.key, $0.value.readText) }
        let other = otherwise.readText
        if other == "*", texts.allSatisfy({ $0.1 == "*" }) { return 0 }
        var fingerprint = Fingerprint()
        fingerprint.add(QueryLanguage.meaning)
        fingerprint.add(other)
        for (name, text) in texts where text != other {
            fingerprint.add(name)
            fingerprint.add(text)
        }
        return fingerprint.value
    }
}

extension AccessRules.OfClass {
    fileprivate var readText: String {
        let hidden = properties.filter { $0.value.read != .always }.sorted { $0.key < $1.key }
        return ([read.text] + hidden.map { "\($0.key): \($0.value.read.text)" }).joined(separator: "\n")
    }
}

extension AccessRules.Rule {
    fileprivate var text: String {
        switch self {
        case .always: "*"
        case .never: "-"
        case .when(let predicate): predicate.description
        }
    }
}
