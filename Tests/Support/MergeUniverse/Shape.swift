/// One corner of the universe: what everybody has seen, and what anybody may do then.
package struct Shape: Sendable {
    package let name: String
    package let beginning: [Intention]
    package let intentions: [Intention]

    /// Every container, alone and together with the life of its object, and the places where one is inside of another.
    package static let all: [Shape] = [
        Shape(
            name: "values", beginning: [.create],
            intentions: [.setX, .setXNull, .setXDefault, .setY, .linkX, .createUnseen]),
        Shape(
            name: "life", beginning: [.create, .insertLast, .putA],
            intentions: [.setX, .delete, .createAgain, .deleteAndCreate, .createUnseen, .insertLast, .putA]),
        Shape(
            name: "creation", beginning: [],
            intentions: [.create, .createUnseen, .setX, .addOne, .insertLast, .typeLast, .delete]),
        Shape(
            name: "counters", beginning: [.create],
            intentions: [.addOne, .addMany, .setCount, .setCountDefault, .createUnseen, .delete]),
        Shape(
            name: "lists", beginning: [.create, .insertLast, .insertLast],
            intentions: [
                .insertFirst, .insertSecond, .insertLast, .removeFirst, .setFirst, .moveFirstToLast, .moveLastToFirst,
                .clearList,
            ]),
        Shape(
            name: "places", beginning: [.create, .insertLast, .insertLast, .insertLast],
            intentions: [
                .insertSecond, .insertTwo, .removeFirst, .removeLast, .setLast, .moveFirstToSecond, .moveLastToFirst,
            ]),
        Shape(
            name: "maps", beginning: [.create, .putA],
            intentions: [.putA, .putB, .putNull, .removeA, .removeB, .clearMap]),
        Shape(
            name: "sets", beginning: [.create, .includeA],
            intentions: [.includeA, .includeB, .excludeA, .excludeB, .clearSet]),
        Shape(
            name: "texts", beginning: [.create, .typeLast, .typeWithin],
            intentions: [
                .typeFirst, .typeWithin, .typeLast, .eraseFirst, .eraseWithin, .eraseLast, .replaceText, .clearText,
            ]),
        Shape(
            name: "links", beginning: [.create, .deleteAndCreateOther],
            intentions: [.linkX, .setXNull, .linkList, .removeFirst, .linkMap, .setOther, .deleteOther]),
        Shape(
            name: "embedded", beginning: [.create, .embed, .appendPart, .appendPart],
            intentions: [
                .embed, .setEmbedded, .addToEmbedded, .removeEmbedded, .appendPart, .setPart, .movePart, .removePart,
            ]),
        Shape(
            name: "nested list", beginning: [.create, .mixList, .innerAdd, .deepMake],
            intentions: [
                .mixList, .mixScalar, .innerAdd, .innerSet, .innerRemove, .innerMove, .deepMake, .deepAdd,
            ]),
        Shape(
            name: "nested map", beginning: [.create, .mixMap, .deepMake],
            intentions: [
                .mixMap, .mixNull, .innerAdd, .innerSet, .innerRemove, .innerClear, .deepAdd, .deepRemove,
            ]),
        Shape(
            name: "mixture", beginning: [.create, .insertLast, .putA, .includeA, .typeLast],
            intentions: [.setX, .addOne, .removeFirst, .clearMap, .excludeA, .eraseFirst, .delete]),
    ]
}
