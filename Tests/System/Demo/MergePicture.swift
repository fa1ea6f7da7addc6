/// Draws what two devices did offline to the same flights, and what both have after they synced.
struct MergePicture {
    /// A flight, what each device changed of it, and how it is on both in the end.
    private struct Row {
        var flight: String
        var a: [String]
        var b: [String]
        var both: [String]
    }

    private var rows: [Row] = []

    /// - Parameters: a flight's line as the devices print it, at four moments; empty where it is deleted.
    mutating func add(before: String, onA: String, onB: String, after: String) {
        let old = Self.properties(before)
        func changes(_ line: String) -> [String] {
            if line.isEmpty { return ["deleted"] }
            return Self.properties(line).filter { !old.contains($0) }.flatMap(Self.lines)
        }
        let both = changes(after)
        rows.append(
            Row(
                flight: before.split(separator: " ").dropFirst().prefix(2).joined(separator: " "), a: changes(onA),
                b: changes(onB), both: both == ["deleted"] ? ["deleted on both"] : both))
    }

    /// `name=value`, where brackets may hold spaces.
    private static func properties(_ line: String) -> [String] {
        let text = line.split(separator: " ", maxSplits: 3).last.map(String.init) ?? ""
        guard let bracket = text.firstRange(of: "remarks=[") else { return [text] }
        return text[..<bracket.lowerBound].split(separator: " ").map(String.init)
            + [String(text[bracket.lowerBound...])]
    }

    private static func lines(_ property: String) -> [String] {
        guard property.hasPrefix("remarks=[") else {
            return [property.split(separator: "=").joined(separator: " = ")]
        }
        return property.dropFirst("remarks=[".count).dropLast().split(separator: " | ").map { remark in
            "+ “" + remark.split(separator: ": ").dropFirst().joined(separator: ": ") + "”"
        }
    }

    // MARK: - Drawing

    private static let lineHeight = 20
    private static let width = 860

    var svg: String {
        var body = ""
        var y = 24
        func text(_ x: Int, _ y: Int, _ words: String, _ style: String) {
            let safe = words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            body += "  <text x=\"\(x)\" y=\"\(y)\" class=\"\(style)\">\(safe)</text>\n"
        }
        func card(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ style: String) {
            let size = "width=\"\(width)\" height=\"\(height)\""
            body += "  <rect x=\"\(x)\" y=\"\(y)\" \(size) rx=\"8\" class=\"\(style)\"/>\n"
        }
        let columns = [(140, "Device A", "offline"), (380, "Device B", "offline"), (620, "Both", "after sync")]
        for (x, title, note) in columns {
            text(x + 10, y + 8, title, "title")
            text(x + 88, y + 8, note, "note")
        }
        y += 24
        for row in rows {
            // The flight and its route take two lines.
            let count = [2, row.a.count, row.b.count, row.both.count].max() ?? 2
            let height = count * Self.lineHeight + 16
            let flight = row.flight.split(separator: " ").map(String.init)
            for (line, words) in flight.enumerated() {
                text(20, y + 22 + line * Self.lineHeight, words, line == 0 ? "flight" : "note")
            }
            for ((x, _, _), lines) in zip(columns, [row.a, row.b, row.both]) {
                card(x, y, 220, height, x == columns[2].0 ? "result" : "edit")
                for (line, words) in lines.enumerated() {
                    text(x + 14, y + 22 + line * Self.lineHeight, words, words.hasPrefix("deleted") ? "gone" : "value")
                }
            }
            text(604, y + height / 2 + 5, "→", "note")
            y += height + 12
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(y + 8)" width="\(Self.width)">
              <title>Two devices edit the same flights offline. After sync both have the same.</title>
              <style>
                text { font: 14px -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2933; }
                .title, .flight { font-weight: bold; }
                .note { fill: #68737d; }
                .gone { fill: #b42318; }
                .edit { fill: #ffffff; stroke: #c4ccd4; }
                .result { fill: #e7f6ec; stroke: #5fb37a; }
              </style>
              <rect width="100%" height="100%" rx="12" fill="#f5f7f9"/>
            \(body)</svg>

            """
    }
}
