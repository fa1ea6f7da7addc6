/// Writes metrics in version 0.0.4 of Prometheus' text format.
struct Exposition {
    private(set) var text = ""

    /// The content type of the text.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    mutating func begin(_ definition: MetricDefinition) {
        text += "# HELP \(definition.name) \(Self.escapedHelp(definition.meaning))\n"
        text += "# TYPE \(definition.name) \(definition.kind.rawValue)\n"
    }

    mutating func add(_ series: MetricSeries, _ values: [String], of definition: MetricDefinition) {
        switch series {
        case .counter(let counter): line(definition.name, definition, values, number: "\(counter.value)")
        case .gauge(let gauge): line(definition.name, definition, values, number: Self.text(of: gauge.value))
        case .histogram(let histogram): add(histogram, values, of: definition)
        }
    }

    mutating func add(_ sample: MetricSample) {
        line(sample.definition.name, sample.definition, sample.values, number: Self.text(of: sample.number))
    }

    /// The count is that of the buckets, read once: a scrape never sees a histogram that contradicts itself.
    private mutating func add(_ histogram: HistogramSeries, _ values: [String], of definition: MetricDefinition) {
        let sum = histogram.sum
        var total: UInt64 = 0
        for (index, count) in histogram.counts.enumerated() {
            total += count
            let bound = index < histogram.bounds.count ? Self.text(of: histogram.bounds[index]) : "+Inf"
            line(definition.name + "_bucket", definition, values, bound: bound, number: "\(total)")
        }
        line(definition.name + "_sum", definition, values, number: Self.text(of: sum))
        line(definition.name + "_count", definition, values, number: "\(total)")
    }

    private mutating func line(
        _ name: String, _ definition: MetricDefinition, _ values: [String], bound: String? = nil, number: String
    ) {
        var labels = zip(definition.labels, values).map { "\($0)=\"\(Self.escapedLabel($1))\"" }
        if let bound { labels.append("le=\"\(bound)\"") }
        text += labels.isEmpty ? "\(name) \(number)\n" : "\(name){\(labels.joined(separator: ","))} \(number)\n"
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        // Whole numbers without a fraction, as far as they are exact.
        return number.magnitude < 0x1p53 && number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }

    private static func escapedHelp(_ text: String) -> String {
        text.map { $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : String($0) }.joined()
    }

    private static func escapedLabel(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension MetricRegistry {
    /// The content type of `text`.
    package static var contentType: String { Exposition.contentType }
}
