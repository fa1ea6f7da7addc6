import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayWire

// Short forms, so that the story of a seed can be read.

func brief(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): "'\(value)'"
    case .link(let key): "→\(brief(key))"
    default: "\(value)"
    }
}

func brief(_ key: PrimaryKey) -> String {
    switch key {
    case .int(let value): "\(value)"
    case .string(let value): value
    case .container(let id): brief(id)
    default: "\(key)"
    }
}

func brief(_ id: ElementID) -> String { "\(id.counter)@\(id.client.rawValue % 16)" }

func brief(_ stamp: Stamp) -> String {
    stamp == .zero ? "0" : "\((stamp.time >> 16) % 1_000_000).\(stamp.time & 0xFFFF)@\(stamp.client.rawValue % 16)"
}

func brief(_ object: ObjectReference) -> String { "\(object.className)(\(brief(object.key)))" }

func brief(_ operation: Operation) -> String {
    switch operation {
    case .create(let target, let life, let fields):
        "create \(brief(target)) life \(life) "
            + fields.map { "\($0.property)=\(brief($0.value))" }.joined(separator: " ")
    case .delete(let target, let life): "delete \(brief(target)) life \(life)"
    case .set(let target, let field): "set \(brief(target)).\(field.property) = \(brief(field.value))"
    case .list(let target, let property, let operation): "list \(brief(target)).\(property) \(brief(operation))"
    case .keyed(let target, let property, .put(let key, let value)):
        "put \(brief(target)).\(property)[\(brief(key))] = \(brief(value))"
    case .keyed(let target, let property, .remove(let key)): "remove \(brief(target)).\(property)[\(brief(key))]"
    case .add(let target, let property, let addition): "add \(addition.amount) to \(brief(target)).\(property)"
    case .text(let target, let property, let operation): "text \(brief(target)).\(property) \(operation)"
    }
}

func brief(_ operation: ListOperation) -> String {
    func id(_ id: ElementID?) -> String { id.map { brief($0) } ?? "-" }
    switch operation {
    case .insert(let new, let left, let right, let value):
        return "insert \(brief(new)) between \(id(left)) and \(id(right)) value \(brief(value))"
    case .delete(let element): return "delete \(brief(element))"
    case .move(let element, let position, let left, let right):
        return "move \(brief(element)) to \(brief(position)) between \(id(left)) and \(id(right))"
    case .set(let element, let value): return "set \(brief(element)) = \(brief(value))"
    case .clear(let elements): return "clear \(elements.map { brief($0) })"
    }
}

func brief(_ state: ObjectState) -> String {
    var text = "life \(state.life) born \(brief(state.born))"
    for field in state.fields { text += " \(field.property)=\(brief(field.value))[\(brief(field.stamp))]" }
    for part in state.parts { text += " \(part.property)=\(brief(part.content))" }
    return text
}

private func brief(_ content: ObjectState.Content) -> String {
    switch content {
    case .list(let list): return "\(list.visible.map { "\(brief($0.id)):\(brief($0.value))" })"
    case .keyed(let keyed):
        let entries = keyed.entries.map { entry in
            "\(brief(entry.key)): \(entry.value.map { brief($0) } ?? "-")[\(brief(entry.stamp))]"
        }
        return "{\(entries.joined(separator: ", "))}"
    case .text(let text): return "“\(text.string)”"
    }
}

func brief(_ message: DownloadMessage) -> String {
    guard case .changes(let chunk) = message else { return "\(message)" }
    var text =
        chunk.checkpoint.map {
            "part, last, at \($0.version.rawValue), queries \($0.querySet), acknowledged \($0.acknowledged)"
        } ?? (chunk.resume == nil ? "part" : "part, the change can go on behind it")
    for run in chunk.enteredRuns {
        for (object, state) in run.objects { text += "\n    enter \(brief(object)) \(brief(state))" }
    }
    for change in chunk.entered { text += "\n    enter \(brief(change.object)) \(brief(change.state))" }
    for change in chunk.updated {
        text += "\n    update \(brief(change.object)) \(brief(change.state))"
        for part in change.changes { text += " \(part.property): \(part.edits)" }
    }
    for leave in chunk.left { text += "\n    leave \(brief(leave.object)) \(leave.reason)" }
    for end in chunk.deleted { text += "\n    delete \(brief(end.object)) life \(end.life)" }
    return text
}

func brief(_ changes: ChangeRecord) -> String {
    let classes = changes.classes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map { name, changes in
        "\(name) +\(changes.inserted.count) ~\(changes.modified.count) −\(changes.deleted.count)"
    }
    return classes.isEmpty ? "nothing" : classes.joined(separator: ", ")
}
