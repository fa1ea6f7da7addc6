import CausewayAdmin
import CausewayIdentity
import CausewayJSON
import CausewayModel
import CausewayStore

// The answer to a question about permissions, for the admin API and for the command.

extension PermissionExplanation {
    /// - Parameters:
    ///   - caller: of whom it is.
    ///   - version: of the database that was asked.
    func append(to json: inout JSONWriter, _ caller: CallerInquiry.Finding, _ version: ServerVersion) {
        json.object { json in
            json.field("version", version.rawValue)
            caller.append(to: &json)
            json.field("class", className)
            json.name("rights")
            json.array(rights) { $0.append(to: &$1) }
            appendProperties(to: &json)
        }
    }

    private func appendProperties(to json: inout JSONWriter) {
        json.name("properties")
        json.array(properties) { property, json in
            json.object { json in
                json.field("name", property.name)
                json.field("mayRead", property.mayRead.rawValue)
                json.field("mayWrite", property.mayWrite.rawValue)
                json.name("rights")
                json.array([property.read, property.write]) { $0.append(to: &$1) }
            }
        }
    }
}

extension RuleExplanation {
    fileprivate func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("right", right.rawValue)
            json.field("verdict", verdict.rawValue)
            json.field("key", ifAny: key)
            if !leftOut.isEmpty {
                json.name("leftOut")
                json.array(leftOut) { $1.write($0) }
            }
            json.field("note", ifAny: note)
            json.name("rule")
            part.append(to: &json)
        }
    }
}

extension RulePart {
    /// The recursion is as deep as the rule's text, which the parser bounds.
    fileprivate func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("form", form.rawValue)
            json.field("answer", answer.rawValue)
            json.field("written", written)
            json.field("forCaller", forCaller)
            if !missingClaims.isEmpty {
                json.name("missingClaims")
                json.array(missingClaims) { $1.write($0) }
            }
            guard !parts.isEmpty else { return }
            json.name("parts")
            json.array(parts) { $0.append(to: &$1) }
        }
    }
}

extension PermissionExplanation {
    static let schemas = """
            ExplainRequest:
              type: object
              required: [class]
              additionalProperties: false
              properties:
                class: {type: string, minLength: 1}
                key:
                  description: The primary key of a stored object, as text, as a number, or in the form of the data API.
                values:
                  type: object
                  description: An object that is not stored. What is left out is as in a new object.
                user: {type: string}
                claims: {type: object}
                token: {type: string}
                account: {type: string}
            Explanation:
              type: object
              required: [version, caller, class, rights, properties]
              additionalProperties: false
              properties:
                version: {type: integer}
                caller:
                  type: object
                  required: [user, source, isVerified]
                  additionalProperties: false
                  properties:
                    user: {type: string}
                    source: {enum: [claims, token, account]}
                    isVerified: {type: boolean}
                    problem: {type: string}
                class: {type: string}
                rights: {type: array, items: {$ref: '#/components/schemas/ExplainedRight'}}
                properties:
                  type: array
                  items:
                    type: object
                    required: [name, mayRead, mayWrite, rights]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      mayRead: {$ref: '#/components/schemas/Verdict'}
                      mayWrite: {$ref: '#/components/schemas/Verdict'}
                      rights: {type: array, items: {$ref: '#/components/schemas/ExplainedRight'}}
            Verdict: {enum: [permitted, refused, unknown]}
            ExplainedRight:
              type: object
              required: [right, verdict, rule]
              additionalProperties: false
              properties:
                right: {enum: [read, create, write, delete]}
                verdict: {$ref: '#/components/schemas/Verdict'}
                key: {type: string}
                leftOut: {type: array, items: {type: string}}
                note: {type: string}
                rule: {$ref: '#/components/schemas/ExplainedPart'}
            ExplainedPart:
              type: object
              required: [form, answer, written, forCaller]
              additionalProperties: false
              properties:
                form: {enum: [and, or, not, comparison]}
                answer: {enum: ['true', 'false', unknown]}
                written: {type: string}
                forCaller: {type: string}
                missingClaims: {type: array, items: {type: string}}
                parts: {type: array, items: {$ref: '#/components/schemas/ExplainedPart'}}

        """
}
