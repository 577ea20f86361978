// What Go's JSON has for fields that were not on the wire. Go's own encoder writes nearly all of them; others may not.
import { type Field, type Message, messageOf, Shape, Type } from "./table.ts"

export type JsonObject = Record<string, unknown>

export function fillSingles(message: Message, object: JsonObject): void {
  for (const field of message.alwaysSingles) {
    if (field.shape === Shape.inline) fill(messageOf(field), object)
    else if (object[field.name] === undefined) {
      const zero = zeroOf(field)
      if (zero !== null) object[field.name] = zero
    }
  }
}

export function fillCollections(message: Message, object: JsonObject): void {
  for (const field of message.alwaysCollections) object[field.name] ??= field.shape === Shape.list ? [] : {}
}

function fill(message: Message, object: JsonObject): JsonObject {
  fillSingles(message, object)
  fillCollections(message, object)
  return object
}

/** Returns the value that Go's JSON has for a field that is not on the wire. */
export function zeroOf(field: Field): unknown {
  switch (field.type) {
    case Type.message:
      return zeroMessage(messageOf(field))
    case Type.string:
    case Type.bytes:
      return ""
    case Type.bool:
      return false
    case Type.quantity:
      return "0"
    case Type.duration:
      return "0s"
    case Type.strings:
      return []
    case Type.time:
    case Type.microTime:
    case Type.json:
    case Type.raw:
      return null
    default:
      return 0
  }
}

function zeroMessage(message: Message): unknown {
  const object = fill(message, {})
  return message.isUnion ? unwrap(message, object) : object
}

/** The first field of a union that is there. */
export function unwrap(message: Message, object: JsonObject): unknown {
  for (const field of message.fields) if (object[field.name] !== undefined) return object[field.name]
  return null
}
