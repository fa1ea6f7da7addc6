import CausewayIdentity
import Yams

// databases[].permissions: what each key means is in Server/Identity/PERMISSIONS.md.

extension Configuration {
    static func readPermissions(_ database: inout Section) -> PermissionRules? {
        guard let node = database.node("permissions") else { return nil }
        var section = Section(node, path: database.key("permissions"))
        var rules = PermissionRules()
        if let node = section.node("schema") {
            var schema = Section(node, path: section.key("schema"))
            rules.extendSchema = schema.callerRule("extend") ?? .always
            section.take(schema.finish())
        }
        if let other = section.node("default") {
            rules.otherwise = readClass(other, path: section.key("default"), &section, hasProperties: false)
        }
        if let classes = section.node("classes") {
            var list = Section(classes, path: section.key("classes"))
            for name in list.names {
                rules.byClass[name] = readClass(list.node(name), path: list.key(name), &list, hasProperties: true)
            }
            section.take(list.finish())
        }
        database.take(section.finish())
        return rules
    }

    private static func readClass(
        _ node: Node?, path: String, _ parent: inout Section, hasProperties: Bool
    ) -> PermissionRules.OfClass {
        var section = Section(node, path: path)
        var rules = PermissionRules.OfClass()
        rules.read = section.rule("read") ?? .always
        rules.write = section.rule("write")
        rules.create = section.rule("create")
        rules.delete = section.rule("delete")
        if hasProperties, let properties = section.node("properties") {
            var list = Section(properties, path: section.key("properties"))
            for name in list.names {
                var property = Section(list.node(name), path: list.key(name))
                rules.properties[name] = PermissionRules.OfProperty(
                    read: property.rule("read") ?? .always, write: property.rule("write"))
                list.take(property.finish())
            }
            section.take(list.finish())
        }
        parent.take(section.finish())
        return rules
    }
}

extension Section {
    /// As `rule`, for a rule that has no object to ask about.
    fileprivate mutating func callerRule(_ name: String) -> PermissionRules.Rule? {
        let rule = rule(name)
        guard case .when(let template)? = rule, !template.asksCallerAlone else { return rule }
        note(
            name, node(name),
            "There is no object to ask here. Write true, false, or an expression that compares nothing but $user.id, "
                + "$user.email, $user.claims.NAME and constants.")
        return .never
    }

    /// What other versions of YAML, and other tools, take for true and false.
    private static let wordsForFlags: Set<String> = ["yes", "no", "on", "off", "y", "n", "true", "false"]

    private static func flag(_ word: String) -> Bool { ["yes", "on", "y", "true"].contains(word.lowercased()) }

    /// `true`, `false` or an expression. Nil when the key is missing.
    fileprivate mutating func rule(_ name: String) -> PermissionRules.Rule? {
        guard let node = node(name), let text = text(name) else { return nil }
        switch text {
        case "true": return .always
        case "false": return .never
        case "":
            note(name, node, "The rule is empty. Write true, false or an expression, or leave the key out.")
            return .never
        case _ where Self.wordsForFlags.contains(text.lowercased()):
            note(
                name, node,
                "'\(text)' is no rule: only the words true and false are understood, in small letters. Write \(Self.flag(text)), "
                    + "or an expression.")
            return .never
        default:
            do throws(RuleError) {
                return .when(try RuleTemplate(text))
            } catch {
                note(name, node, error.message)
                return .never
            }
        }
    }
}
