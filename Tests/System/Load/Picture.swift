import Foundation

/// A profile as a picture: what devices waited, how much happened, and what the server used, second by second.
struct Picture {
    let profile: Profile
    let timeline: Timeline

    private static let width = 860.0
    private static let plotLeft = 70.0
    private static let plotHeight = 120.0
    private static let chapterHeight = 170.0

    /// A line of a chart.
    private struct Curve {
        let name: String
        let colour: String
        let points: [(second: Double, value: Double)]
    }

    var svg: String {
        let seconds = timeline.seconds
        let middles = seconds.map { (second: Double($0.second) + 0.5, waits: $0.waits) }
        let charts: [(title: String, unit: String, curves: [Curve])] = [
            (
                profile.waits, "ms",
                [
                    Curve(name: "p99", colour: "#b45309", points: middles.map { ($0.second, $0.waits.at(99)) }),
                    Curve(name: "median", colour: "#1d6fb8", points: middles.map { ($0.second, $0.waits.median) }),
                ]
            ),
            (
                "how often, in each second", "/s",
                [Curve(name: "", colour: "#1d6fb8", points: middles.map { ($0.second, Double($0.waits.count)) })]
            ),
            (
                "the server's processors", "",
                [Curve(name: "", colour: "#2f7d4f", points: timeline.samples.map { ($0.second, $0.cores) })]
            ),
            (
                "the server's memory", "MB",
                [Curve(name: "", colour: "#6b4fa0", points: timeline.samples.map { ($0.second, $0.megabytes) })]
            ),
        ]
        let last = max(charts.flatMap { $0.curves }.flatMap { $0.points }.map(\.second).max() ?? 1, 1)
        let height = 60 + Self.chapterHeight * Double(charts.count)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(height))" width="\(Int(Self.width))">
              <title>\(timeline.summary(of: profile.name))</title>
              <style>
                text { font: 13px -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2933; }
                .title { font-weight: bold; font-size: 15px; }
                .note { fill: #68737d; }
                .axis { stroke: #c4ccd4; }
              </style>
              <rect width="100%" height="100%" rx="12" fill="#f5f7f9"/>
              <text x="20" y="32" class="title">\(profile.name)</text>
            """
        ]
        for (index, chart) in charts.enumerated() {
            lines += draw(chart.title, chart.unit, chart.curves, top: 60 + Self.chapterHeight * Double(index), last)
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func draw(_ title: String, _ unit: String, _ curves: [Curve], top: Double, _ last: Double) -> [String] {
        let most = Self.ceiling(curves.flatMap { $0.points }.map(\.value).max() ?? 1)
        let (right, bottom) = (Self.width - 30, top + 20 + Self.plotHeight)
        func place(_ point: (second: Double, value: Double)) -> String {
            let x = Self.plotLeft + point.second / last * (right - Self.plotLeft)
            return String(format: "%.1f,%.1f", x, bottom - min(point.value / most, 1) * Self.plotHeight)
        }
        var lines = ["  <text x=\"20\" y=\"\(top + 8)\">\(title)</text>"]
        for part in [0, 0.5, 1.0] {
            let y = bottom - part * Self.plotHeight
            lines.append("  <line x1=\"\(Self.plotLeft)\" x2=\"\(right)\" y1=\"\(y)\" y2=\"\(y)\" class=\"axis\"/>")
            lines.append(
                "  <text x=\"\(Self.plotLeft - 8)\" y=\"\(y + 4)\" class=\"note\" text-anchor=\"end\">"
                    + "\(Self.number(part * most)) \(unit)</text>")
        }
        for (index, curve) in curves.enumerated() {
            let points = curve.points.map(place).joined(separator: " ")
            lines.append(
                "  <polyline points=\"\(points)\" fill=\"none\" stroke=\"\(curve.colour)\" stroke-width=\"1.5\"/>")
            lines.append(
                "  <text x=\"\(right - 70 * Double(index))\" y=\"\(top + 8)\" text-anchor=\"end\" "
                    + "style=\"fill: \(curve.colour)\">\(curve.name)</text>")
        }
        lines.append(
            "  <text x=\"\(right)\" y=\"\(bottom + 16)\" class=\"note\" text-anchor=\"end\">\(Int(last)) s</text>")
        return lines
    }

    /// The next of 1, 2, 5, 10, 20, … that is not below a value.
    static func ceiling(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        let power = pow(10, floor(log10(value)))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value } ?? value
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(format: "%.2g", value)
    }
}
