package import CausewayStore

/// What the operator decided about one database: who may read and write which objects. See `PERMISSIONS.md`.
package struct PermissionRules: Hashable, Sendable {
    package var byClass: [String: OfClass]
    /// For classes that are not named.
    package var otherwise: OfClass
    /// Who may add classes and properties to the schema. There is no object to ask about: a template permits nobody
    /// unless it `asksCallerAlone`.
    package var extendSchema: Rule

    package init(
        byClass: [String: OfClass] = [:], otherwise: OfClass = OfClass(), extendSchema: Rule = .always
    ) {
        self.byClass = byClass
        self.otherwise = otherwise
        self.extendSchema = extendSchema
    }

    package enum Rule: Hashable, Sendable {
        case always
        case never
        case when(RuleTemplate)
    }

    /// When left out, `write` is as `read`, and `create` and `delete` are as `write`.
    package struct OfClass: Hashable, Sendable {
        package var read = Rule.always
        package var write: Rule?
        package var create: Rule?
        package var delete: Rule?
        package var properties: [String: OfProperty] = [:]

        package init(
            read: Rule = .always, write: Rule? = nil, create: Rule? = nil, delete: Rule? = nil,
            properties: [String: OfProperty] = [:]
        ) {
            self.read = read
            self.write = write
            self.create = create
            self.delete = delete
            self.properties = properties
        }
    }

    /// On top of the rules of the class. When left out, `write` is as `read`.
    package struct OfProperty: Hashable, Sendable {
        package var read = Rule.always
        package var write: Rule?

        package init(read: Rule = .always, write: Rule? = nil) {
            self.read = read
            self.write = write
        }
    }
}

// MARK: - For one caller

extension PermissionRules {
    package func rules(for caller: Caller) -> AccessRules {
        AccessRules(
            byClass: byClass.mapValues { $0.rules(for: caller) }, otherwise: otherwise.rules(for: caller),
            mayExtendSchema: extendSchema.rule(for: caller).holdsWithoutObject)
    }
}

extension PermissionRules.OfClass {
    fileprivate func rules(for caller: Caller) -> AccessRules.OfClass {
        let write = write ?? read
        return AccessRules.OfClass(
            read: read.rule(for: caller), create: (create ?? write).rule(for: caller), write: write.rule(for: caller),
            delete: (delete ?? write).rule(for: caller),
            properties: properties.mapValues { property in
                AccessRules.OfProperty(
                    read: property.read.rule(for: caller),
                    write: (property.write ?? property.read).rule(for: caller))
            })
    }
}

extension PermissionRules.Rule {
    fileprivate func rule(for caller: Caller) -> AccessRules.Rule {
        switch self {
        case .always: .always
        case .never: .never
        case .when(let template): .when(template.predicate(for: caller))
        }
    }
}
