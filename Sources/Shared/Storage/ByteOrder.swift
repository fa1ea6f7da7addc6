/// Compares two byte strings as trees order them: byte by byte, a prefix before a longer string. Negative: left is
/// less.
@inlinable
package func bytesOrder(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = left.count < right.count ? left.count : right.count
    var position = 0
    while position &+ 8 <= common {
        let leftWord = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        let rightWord = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        if leftWord != rightWord { return leftWord < rightWord ? -1 : 1 }
        position &+= 8
    }
    while position < common {
        let difference = Int(left[position]) &- Int(right[position])
        if difference != 0 { return difference }
        position &+= 1
    }
    return left.count &- right.count
}
