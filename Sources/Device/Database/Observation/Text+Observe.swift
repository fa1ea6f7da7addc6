import CausewayMerge
import CausewayModel
import CausewayObjectStore
public import Dispatch

/// How a text changed since the last notification.
///
/// ```swift
/// func tell(_ change: TextChange) {
///     switch change {
///     case .initial(let text): print(text.string)
///     case .update(_, let deletions, let insertions): print(deletions, insertions)
///     }
/// }
/// ```
///
/// Deletions are ranges before the change, insertions are ranges after it. Both count Unicode scalars. Apply deletions
/// first, from the end, then insertions.
public enum TextChange {
    /// The initial content of the text.
    case initial(Text)
    /// A commit changed it. Deletions are ranges before the commit, insertions after it.
    case update(Text, deletions: [Range<Int>], insertions: [Range<Int>])
}

extension Text {
    /// Calls the block with the text now, and with what changed after every commit that changes it.
    ///
    /// ```swift
    /// token = note.body.observe { change in
    ///     if case .update(_, let deletions, let insertions) = change { update(deletions, insertions) }
    /// }
    /// ```
    ///
    /// The block runs where the Realm is confined to, or on the given queue. It is not called after the text's object
    /// is deleted.
    ///
    /// - Returns: A token to keep as long as notifications are wanted.
    /// - Complexity: O(k + n / 4,000) a notification, with k scalars near the change, for a text of more than 4 KiB;
    ///   otherwise O(n)
    public func observe(on queue: DispatchQueue? = nil, _ block: @escaping (TextChange) -> Void) -> NotificationToken {
        guard let managed else { misuse("Only objects which are managed by a Realm support change notifications") }
        return managed.instance.startObserving(on: queue) { instance, state in
            TextObserver(instance === managed.instance ? managed : managed.moved(to: instance), state, block)
        }
    }
}

/// Reports how one text changed.
private final class TextObserver: ChangeObserver {
    /// Nil when the object was deleted before the observer's Realm saw it.
    private let text: ManagedText?
    private let block: (TextChange) -> Void
    private var known = KnownText()
    /// Nil until the initial notification.
    private var version: UInt64?

    init(_ text: ManagedText?, _ state: ObservationState, _ block: @escaping (TextChange) -> Void) {
        self.text = text
        self.block = block
        super.init(state)
    }

    override func skip(_ instance: RealmInstance) {
        version = instance.transaction.version
        if let text, !text.isInvalidated { _ = known.follow(text) }
    }

    override func deliver(_ instance: RealmInstance) {
        guard let text, !text.isInvalidated else {
            state.cancel()
            return
        }
        guard let version else {
            skip(instance)
            block(.initial(Text(state: .managed(text))))
            return
        }
        guard version != instance.transaction.version else { return }
        self.version = instance.transaction.version
        let changes = TextRanges(known.follow(text))
        if changes.deletions.isEmpty, changes.insertions.isEmpty { return }
        block(
            .update(Text(state: .managed(text)), deletions: changes.deletions, insertions: changes.insertions))
    }
}

/// A text as it was last seen.
private struct KnownText {
    private var buffer = TextBuffer()
    private var chunks: [TextChunk] = []

    /// Brings it up to date, and returns the edits that did it.
    ///
    /// - Complexity: O(k + c), with k scalars of the chunks that differ, of c chunks; O(n) for a text without chunks
    mutating func follow(_ text: ManagedText) -> [TextEdit] {
        let chunks = text.chunks
        let (start, end) = Self.same(self.chunks, chunks)
        self.chunks = chunks
        let (old, new) = (start..<buffer.count - end, start..<text.count - end)
        let edits = TextDifference.edits(from: buffer.string(in: old), to: text.string(in: new)).map {
            $0.moved(by: start)
        }
        for edit in edits { buffer.apply(edit) }
        return edits
    }

    /// How many scalars the chunks hold that are the same at both ends.
    private static func same(_ old: [TextChunk], _ new: [TextChunk]) -> (start: Int, end: Int) {
        let most = min(old.count, new.count)
        let start = (0..<most).first { old[$0] != new[$0] || old[$0].number == 0 } ?? most
        let end =
            (0..<most - start).first {
                old[old.count - 1 - $0] != new[new.count - 1 - $0] || old[old.count - 1 - $0].number == 0
            }
            ?? most - start
        return (old[..<start].reduce(0) { $0 + $1.count }, old.suffix(end).reduce(0) { $0 + $1.count })
    }
}

/// Successive edits, converted to ranges before all edits and ranges after all edits.
struct TextRanges {
    var deletions: [Range<Int>] = []
    var insertions: [Range<Int>] = []

    /// - Parameter edits: The edits in ascending order of position.
    init(_ edits: [TextEdit]) {
        var growth = 0
        for edit in edits {
            switch edit {
            case .insert(let text, let place):
                let count = text.unicodeScalars.count
                insertions.append(place..<place + count)
                growth += count
            case .remove(let range):
                deletions.append(range.lowerBound - growth..<range.upperBound - growth)
                growth -= range.count
            }
        }
    }
}
