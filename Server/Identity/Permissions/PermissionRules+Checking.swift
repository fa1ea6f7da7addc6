package import CausewayModel
import CausewayQuery
import CausewayStore

// Rules against the classes that a database has. A rule that does not fit permits nothing where it does not, so it is
// not dangerous; but nobody means it.

extension PermissionRules {
    /// The rules that do not fit, each with its key (`classes.Task.read`) and a sentence.
    package func problems(in schema: Schema) -> [RuleProblem] {
        byClass.sorted { $0.key < $1.key }.flatMap { name, rules -> [RuleProblem] in
            let key = "classes.\(name)"
            guard let classSchema = schema[name] else {
                let known = schema.classes.map(\.name).joined(separator: ", ")
                return [RuleProblem(key, "The database has no class '\(name)'. It has: \(known).")]
            }
            guard classSchema.kind != .embedded else {
                return [
                    RuleProblem(
                        key,
                        "'\(name)' is embedded: its objects belong to others. Give the rule to the properties that hold "
                            + "them. Where this one is not true, nothing that holds them can be read or written.")
                ]
            }
            return rules.problems(of: classSchema, in: schema, key)
        }
    }
}

package struct RuleProblem: Hashable, Sendable {
    package var key: String
    package var message: String

    init(_ key: String, _ message: String) {
        self.key = key
        self.message = message
    }
}

extension PermissionRules.OfClass {
    fileprivate func problems(of classSchema: ClassSchema, in schema: Schema, _ key: String) -> [RuleProblem] {
        var found: [RuleProblem] = []
        func check(_ rule: PermissionRules.Rule?, _ key: String, mayUseLinks: Bool) {
            guard case .when(let template)? = rule else { return }
            let problems = AccessRules.problems(
                of: template.predicate, in: classSchema.name, schema, mayUseLinks: mayUseLinks)
            guard problems.isEmpty else { return found += problems.map { RuleProblem(key, $0) } }
            let outlook = AccessRules.outlook(
                of: template.predicate, in: classSchema.name, schema, mayUseLinks: mayUseLinks
            ) {
                template.forms(of: $0)
            } text: {
                template.named($0.description)
            }
            switch outlook {
            case .open: break
            case .never(let reason):
                found.append(
                    RuleProblem(
                        key,
                        "The rule permits nothing to anybody, for no object can meet it: \(reason). Correct it, "
                            + "or write false."))
            case .always:
                found.append(
                    RuleProblem(
                        key,
                        "Every object meets the rule, so it permits everything to everybody. Correct it, or write true."
                    ))
            }
        }
        check(read, "\(key).read", mayUseLinks: false)
        check(write, "\(key).write", mayUseLinks: true)
        check(create, "\(key).create", mayUseLinks: true)
        check(delete, "\(key).delete", mayUseLinks: true)
        for (name, rules) in properties.sorted(by: { $0.key < $1.key }) {
            let place = "\(key).properties.\(name)"
            guard let property = classSchema.properties.first(where: { $0.name == name }) else {
                found.append(RuleProblem(place, "'\(classSchema.name)' has no property '\(name)'. Correct the name."))
                continue
            }
            if property.isPrimaryKey {
                found.append(
                    RuleProblem(
                        place, "'\(name)' is the primary key, which goes where its object goes. Give the class a rule.")
                )
                continue
            }
            check(rules.read, "\(place).read", mayUseLinks: false)
            check(rules.write, "\(place).write", mayUseLinks: true)
        }
        return found
    }
}
