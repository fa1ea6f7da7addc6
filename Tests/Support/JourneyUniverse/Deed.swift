/// One thing that an app does to one item, or to what is in it.
package enum Deed: String, CaseIterable, Sendable {
    case rename, like, setLikes, delete, makeAnew
    /// Leaves and enters the view of those who watch items with a flag.
    case hide, show
    case insertFirst, insertLast, removeFirst, setFirst, moveFirstToLast, clearList
    case include, exclude, clearSet, putA, removeA, clearMap
    case typeFirst, typeWithin, eraseWithin, replaceText
    case embed, setCity, addToEmbedded, removeEmbedded, appendPart, setPart, movePart, removePart
    case mixList, mixMap, mixText, innerAdd, innerSet, innerRemove, innerMove, innerClear, deepMake, deepAdd
    case linkOther, unlink, befriendOther, deleteOther, makeOtherAnew
}

/// One corner of what apps do: what the item is at first, and five things that anybody may do then.
package struct Corner: Sendable {
    package let name: String
    package let beginning: [Deed]
    package let deeds: [Deed]

    package static let all: [Corner] = [
        Corner(name: "life", beginning: [], deeds: [.rename, .like, .setLikes, .delete, .makeAnew]),
        Corner(name: "views", beginning: [.insertLast], deeds: [.rename, .hide, .show, .insertLast, .makeAnew]),
        Corner(
            name: "lists", beginning: [.insertLast, .insertLast],
            deeds: [.insertFirst, .removeFirst, .setFirst, .moveFirstToLast, .clearList]),
        Corner(
            name: "sets and maps", beginning: [.include, .putA],
            deeds: [.include, .exclude, .putA, .removeA, .clearMap]),
        Corner(
            name: "texts", beginning: [.typeFirst, .typeWithin],
            deeds: [.typeFirst, .typeWithin, .eraseWithin, .replaceText, .delete]),
        Corner(
            name: "embedded", beginning: [.embed],
            deeds: [.embed, .setCity, .addToEmbedded, .removeEmbedded, .makeAnew]),
        Corner(
            name: "embedded in lists", beginning: [.appendPart, .appendPart],
            deeds: [.appendPart, .setPart, .movePart, .removePart, .hide]),
        Corner(
            name: "nested list", beginning: [.mixList, .deepMake],
            deeds: [.mixList, .mixText, .innerAdd, .innerRemove, .deepAdd]),
        Corner(
            name: "nested map", beginning: [.mixMap, .deepMake],
            deeds: [.mixMap, .innerSet, .innerClear, .deepMake, .deepAdd]),
        Corner(
            name: "links", beginning: [.linkOther],
            deeds: [.linkOther, .unlink, .befriendOther, .deleteOther, .makeOtherAnew]),
    ]
}
