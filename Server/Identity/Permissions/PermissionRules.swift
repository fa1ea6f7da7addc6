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

// MARK: - Which rule decides

extension PermissionRules {
    /// What a rule of a class decides about.
    package enum Right: String, CaseIterable, Hashable, Sendable {
        case read
        case create
        case write
        case delete
    }

    /// A rule, where it stands in its class or property, and which rules it stands in for because they were left out.
    struct Deciding: Hashable, Sendable {
        var rule: Rule
        var key: Right
        var leftOut: [Right] = []

        /// The same rule for another right, whose own rule was left out.
        func standing(for right: Right) -> Deciding {
            var result = self
            result.leftOut.insert(right, at: 0)
            return result
        }
    }
}

extension PermissionRules.OfClass {
    func deciding(_ right: PermissionRules.Right) -> PermissionRules.Deciding {
        let own: PermissionRules.Rule? =
            switch right {
            case .read: read
            case .create: create
            case .write: write
            case .delete: delete
            }
        if let own { return PermissionRules.Deciding(rule: own, key: right) }
        return deciding(right == .write ? .read : .write).standing(for: right)
    }
}

extension PermissionRules.OfProperty {
    /// - Parameter right: `read` or `write`; a property has no others.
    func deciding(_ right: PermissionRules.Right) -> PermissionRules.Deciding {
        let reading = PermissionRules.Deciding(rule: read, key: .read)
        guard right != .read else { return reading }
        return write.map { PermissionRules.Deciding(rule: $0, key: .write) } ?? reading.standing(for: .write)
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
        func rule(_ right: PermissionRules.Right) -> AccessRules.Rule { deciding(right).rule.rule(for: caller) }
        return AccessRules.OfClass(
            read: rule(.read), create: rule(.create), write: rule(.write), delete: rule(.delete),
            properties: properties.mapValues { property in
                AccessRules.OfProperty(
                    read: property.deciding(.read).rule.rule(for: caller),
                    write: property.deciding(.write).rule.rule(for: caller))
            })
    }
}

extension PermissionRules.Rule {
    func rule(for caller: Caller) -> AccessRules.Rule {
        switch self {
        case .always: .always
        case .never: .never
        case .when(let template): .when(template.predicate(for: caller))
        }
    }
}
