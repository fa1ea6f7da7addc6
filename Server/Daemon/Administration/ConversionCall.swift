import CausewayAdmin
import CausewayConversion
import CausewayJSON
import CausewayModel

/// A request to convert a property.
struct ConversionCall: Sendable {
    var subject: SchemaSubject
    var wanted: PropertyConversion

    init(_ request: AdminRequest) throws(AdminError) {
        let body = try request.members(
            "class", "property", "to", "optional", "misfits", "default", "confirm", "evenIfDeclared")
        subject = try SchemaSubject(body)
        let type = try Self.type(body)
        wanted = PropertyConversion(
            subject.className, try body.requiredText("property"), to: type,
            isOptional: body["optional"] == nil ? nil : try body.flag("optional"),
            misfits: try Self.misfits(body, type))
    }

    /// The types that a property can be given.
    private static let types = PropertyType.allCases.filter { $0 != .object }

    private static func type(_ body: AdminMembers) throws(AdminError) -> PropertyType {
        let name = try body.requiredText("to")
        guard let type = types.first(where: { "\($0)" == name }) else {
            throw AdminError(
                .requestInvalid,
                "to is “\(name.prefix(40))”. Expected is one of " + types.map { "\($0)" }.joined(separator: ", ") + ".")
        }
        return type
    }

    private static func misfits(
        _ body: AdminMembers, _ type: PropertyType
    ) throws(AdminError) -> PropertyMapping.MisfitRule {
        let name = try body.text("misfits") ?? "refuse"
        guard (name == "default") == (body["default"] != nil) else {
            throw AdminError(
                .requestInvalid, "A default is sent if misfits is “default”, and only then. Send both or neither.")
        }
        switch name {
        case "refuse": return .refuse
        case "null": return .null
        case "default":
            do throws(ValueReader.Failure) {
                return .value(try ValueReader.value(body["default"] ?? .null, type))
            } catch {
                throw AdminError(.requestInvalid, "default is not \(type). Expected is \(error.expected).")
            }
        default:
            throw AdminError(
                .requestInvalid, "misfits is “\(name.prefix(40))”. Expected is “refuse”, “null” or “default”.")
        }
    }

    static let schemas = """
            SchemaConversionRequest:
              type: object
              required: [class, property, to]
              additionalProperties: false
              properties:
                class: {type: string, minLength: 1}
                property: {type: string, minLength: 1}
                to: {type: string, enum: [\(types.map { "\($0)" }.joined(separator: ", "))]}
                optional:
                  type: boolean
                  description: Whether it may be null. Left out, as it is now. A mixed property may, before and after.
                misfits:
                  type: string
                  enum: [refuse, 'null', default]
                  description: 'What becomes of values that do not fit. Left out, refuse: nothing is converted.'
                default:
                  description: Stands for values that do not fit. In the JSON form of the new type in the data API.
                confirm:
                  type: string
                  description: Class.property once more. Without it nothing is converted.
                evenIfDeclared: {type: boolean}
            SchemaConversion:
              type: object
              required: [name, isConverted, from, to, objects, misfits, brokenRules]
              additionalProperties: false
              properties:
                name: {type: string}
                isConverted: {type: boolean}
                from: {type: string}
                to: {type: string}
                objects:
                  type: integer
                  description: The objects of the class.
                misfits:
                  type: object
                  description: How many values do not fit, by the reason. Reasons without a value are left out.
                  additionalProperties: false
                  properties:
        \(Misfit.allCases.map { "            '\($0.rawValue)': {type: integer}" }.joined(separator: "\n"))
                brokenRules:
                  type: array
                  description: The permission rules that do not fit the new type. With any of them nothing is converted.
                  items: {type: string}
                declared: {type: string, format: date-time}

        """
}
