/// How a copy leaves room for other work on the same disk.
///
/// An fsync of much data delays the small fsyncs of everybody's commits. So a paced copy syncs what it has written in
/// small parts and takes each part out of the page cache. It pauses between the parts where its owner wants it to.
package struct CopyPace {
    /// How much of a paced copy may wait for the disk at a time. Pages are written 1 MiB at a time, so a part may be
    /// larger by that, or by one long value.
    package static let unsyncedBytesMax = 2 << 20

    /// Called after each part that is on the disk, with the bytes written so far and about how many there will be. It
    /// may sleep. An error gives the copy up.
    package var afterPart: (_ doneBytes: Int, _ totalBytes: Int) throws(StorageError) -> Void

    package init(afterPart: @escaping (_ doneBytes: Int, _ totalBytes: Int) throws(StorageError) -> Void) {
        self.afterPart = afterPart
    }
}
