import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Rules 2 and 3: the history, and the images and edits that belong to it.

extension RecordCheck {
    func checkHistory() {
        var expected = meta.historyStart.rawValue + 1
        var sizeBytes: UInt64 = 0
        var missing = 0
        transaction.tree(Layout.history).scan { key, value in
            guard let version = Layout.versionOfRecord(key)?.rawValue else {
                report.note("A key of the tree '\(Layout.history)' is no version with the form of its record.")
                return true
            }
            guard version >= expected, version <= meta.version.rawValue else {
                report.note(
                    "The history has version \(version), which is not between its start and the newest version.")
                return true
            }
            missing += Int(clamping: version - expected)
            if version > expected { noteMissing(expected...version - 1) }
            expected = version + 1
            sizeBytes += checkRecord(
                Array(value), isEarlier: Layout.isEarlierRecord(key), of: ServerVersion(version))
            return true
        }
        if expected <= meta.version.rawValue { noteMissing(expected...meta.version.rawValue) }
        if missing == 0, expected == meta.version.rawValue + 1, sizeBytes != meta.historyBytes {
            report.note("The history has \(sizeBytes) bytes and counts \(meta.historyBytes).")
        }
        checkNoneBefore(meta.historyStart, in: Layout.images)
        for tree in [Layout.images, Layout.edits] { checkNoneAfter(meta.version, in: tree) }
    }

    private func noteMissing(_ versions: ClosedRange<UInt64>) {
        report.note(
            versions.count == 1
                ? "Version \(versions.lowerBound) is missing in the history."
                : "Versions \(versions.lowerBound) to \(versions.upperBound) are missing in the history.")
    }

    /// - Returns: the bytes that the record says it takes with its images and edits.
    private func checkRecord(_ bytes: [UInt8], isEarlier: Bool, of version: ServerVersion) -> UInt64 {
        let record: HistoryRecord
        do throws(EncodingError) {
            record = isEarlier ? try EarlierRecord.read(bytes) : try HistoryRecord(bytes)
        } catch {
            report.note("Version \(version.rawValue) of the history cannot be read.")
            return 0
        }
        for number in record.births.map(\.classNumber) + record.entries.map(\.name.classNumber)
        where !isKnown(number) {
            report.note("Version \(version.rawValue) of the history names class number \(number), which no class has.")
        }
        checkImages(of: record, version)
        checkEdits(of: record, version)
        return record.sizeBytes
    }

    private func checkImages(of record: HistoryRecord, _ version: ServerVersion) {
        var left = Set(record.entries.indices.filter { record.entries[$0].before == .image })
        for (number, entry) in record.entries.enumerated() {
            guard let bytes = entry.smallImage else { continue }
            let what = "Image \(number) of version \(version.rawValue)"
            if left.remove(number) == nil { report.note("\(what) is of an object that the version did not change.") }
            do throws(EncodingError) {
                _ = try SmallImage.decoded(bytes) { column in
                    let properties = classes[entry.name.classNumber]?.properties ?? []
                    return properties.indices.contains(column) ? properties[column].name : nil
                }
            } catch {
                report.note("\(what) cannot be read.")
            }
        }
        scan(Layout.images, of: version, keyBytes: 12) { key, value in
            let number: UInt32 = Layout.number(key, at: 8) ?? 0
            let what = "Image \(number) of version \(version.rawValue)"
            if left.remove(Int(number)) == nil { report.note("\(what) belongs to no entry of the history.") }
            do throws(EncodingError) {
                _ = try ObjectState(encoded: Array(value))
            } catch {
                report.note("\(what) cannot be read.")
            }
        }
        for number in left.sorted() { report.note("Image \(number) of version \(version.rawValue) is missing.") }
    }

    private func checkEdits(of record: HistoryRecord, _ version: ServerVersion) {
        var found: [Int: PropertyNumbers] = [:]
        scan(Layout.edits, of: version, keyBytes: 16) { key, value in
            let number = Int((Layout.number(key, at: 8) as UInt32?) ?? 0)
            let column = Int((Layout.number(key, at: 12) as UInt32?) ?? 0)
            let what = "The edits of column \(column), entry \(number) of version \(version.rawValue),"
            guard number < record.entries.count, record.entries[number].edited.contains(column) else {
                return report.note("\(what) belong to no entry of the history.")
            }
            found[number, default: PropertyNumbers()].insert(column)
            do throws(EncodingError) {
                _ = try KeptEdits(encoded: Array(value))
            } catch {
                report.note("\(what) cannot be read.")
            }
        }
        for (number, entry) in record.entries.enumerated()
        where !entry.edited.isEmpty && entry.edited != found[number] {
            report.note("Edits of entry \(number) of version \(version.rawValue) are missing.")
        }
    }

    private func scan(
        _ tree: String, of version: ServerVersion, keyBytes: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) {
        let (from, upTo) = (Layout.bytes(version.rawValue), Layout.bytes(version.rawValue &+ 1))
        transaction.tree(tree).scan(from: from, upTo: upTo) { key, value in
            guard key.count == keyBytes else {
                report.note("A key of version \(version.rawValue) in '\(tree)' has \(key.count) bytes.")
                return true
            }
            body(key, value)
            return true
        }
    }

    private func checkNoneBefore(_ start: ServerVersion, in tree: String) {
        transaction.tree(tree).scan(upTo: Layout.bytes(start.rawValue + 1)) { _, _ in
            report.note("The tree '\(tree)' has entries of versions before the history.")
            return false
        }
    }

    private func checkNoneAfter(_ newest: ServerVersion, in tree: String) {
        transaction.tree(tree).scan(from: Layout.bytes(newest.rawValue + 1)) { _, _ in
            report.note("The tree '\(tree)' has entries of versions after the newest one.")
            return false
        }
    }
}
