/// One thing that somebody does to what they see, in a universe of two notes and what is inside of them.
///
/// It becomes operations by what its author sees at that moment; where there is nothing to do it to, it becomes none.
package enum Intention: String, CaseIterable, Sendable {
    // The first note.
    case create, createUnseen, delete, createAgain, deleteAndCreate
    // Its properties.
    case setX, setXNull, setXDefault, setY
    case addOne, addMany, setCount, setCountDefault
    // Its list.
    case insertFirst, insertSecond, insertLast, insertTwo, removeFirst, removeLast, setFirst, setLast
    case moveFirstToLast, moveLastToFirst, moveFirstToSecond, clearList
    // Its map and its set.
    case putA, putB, putNull, removeA, removeB, clearMap
    case includeA, includeB, excludeA, excludeB, clearSet
    // Its text.
    case typeFirst, typeWithin, typeLast, eraseFirst, eraseWithin, eraseLast, replaceText, clearText
    // The second note, and links to it.
    case linkX, linkList, linkMap, setOther, deleteOther, deleteAndCreateOther
    // An embedded object in a property, and embedded objects in a list.
    case embed, setEmbedded, addToEmbedded, removeEmbedded, appendPart, setPart, movePart, removePart
    // Collections in the mixed property, two deep.
    case mixList, mixMap, mixScalar, mixNull
    case innerAdd, innerSet, innerRemove, innerMove, innerClear
    case deepMake, deepAdd, deepRemove, deepReplace
}
