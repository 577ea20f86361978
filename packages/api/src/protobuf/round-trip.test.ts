import { PilothouseError, type Random, seededRandom } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { toBase64 } from "../text/base64.ts"
import { decodeProtobuf } from "./decode.ts"
import { durationText } from "./duration.ts"
import { encodeProtobuf } from "./encode.ts"
import { type Field, kindMessage, type Message, messageOf, protobufKinds, Shape, Type } from "./table.ts"
import { microTimeText, timeText } from "./timestamp.ts"
import type { JsonObject } from "./zero.ts"

const kinds = protobufKinds()

test.each(kinds)("$apiVersion $kind comes back", ({ apiVersion, kind }) => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (seed) => {
      const object = randomObject(seededRandom(seed), apiVersion, kind)
      expect(decodeProtobuf(encodeProtobuf(object))).toEqual(object)
    }),
    { numRuns: 10 },
  )
})

describe("malformed bytes give INVALID or a value, never anything else", () => {
  test("changed, cut and lengthened bodies", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (seed) => {
        const random = seededRandom(seed)
        const { apiVersion, kind } = kinds[random.int(kinds.length)] ?? { apiVersion: "v1", kind: "Pod" }
        expectInvalidOrValue(mutated(random, encodeProtobuf(randomObject(random, apiVersion, kind))))
      }),
      { numRuns: 3000 },
    )
  })

  test("random bytes in a good envelope", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(), (bytes, choice) => {
        const { apiVersion, kind } = kinds[choice % kinds.length] ?? { apiVersion: "v1", kind: "Pod" }
        expectInvalidOrValue(Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, bytes.length, ...bytes]), { apiVersion, kind })
      }),
      { numRuns: 3000 },
    )
  })
})

function expectInvalidOrValue(bytes: Uint8Array, expected?: { apiVersion: string; kind: string }): void {
  try {
    expect(decodeProtobuf(bytes, expected)).toBeTypeOf("object")
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(PilothouseError)
    expect(thrown).toMatchObject({ code: "INVALID", message: expect.stringMatching(/^protobuf.*, byte \d+: /s) })
  }
}

function mutated(random: Random, body: Uint8Array): Uint8Array {
  const bytes = Array.from(body)
  for (let count = 1 + random.int(4); count > 0; count--) {
    const at = random.int(bytes.length)
    const byte = random.int(2) === 0 ? random.int(256) : random.int(24)
    const kind = random.int(4)
    if (kind === 0) bytes.splice(at, 1)
    else if (kind === 1) bytes.splice(at, 0, byte)
    else bytes[at] = byte
    if (bytes.length === 0) break
  }
  return Uint8Array.from(random.int(5) === 0 ? bytes.slice(0, random.int(bytes.length + 1)) : bytes)
}

/** An object with random fields, in the form that the decoder gives. */
function randomObject(random: Random, apiVersion: string, kind: string): JsonObject {
  const message = kindMessage(apiVersion, kind)
  if (message === undefined) throw new Error(`${apiVersion} ${kind} has no table`)
  return fill(random, message, { apiVersion, kind }, 0)
}

function fill(random: Random, message: Message, object: JsonObject, depth: number): JsonObject {
  for (const field of message.fields) {
    if (field.shape === Shape.inline) fill(random, messageOf(field), object, depth)
    else if (field.shape === Shape.single) fillSingle(random, field, object, depth)
    else fillCollection(random, field, object, depth)
  }
  return object
}

/** Less the deeper, so that objects stay small and recursive kinds end. */
function isChosen(random: Random, depth: number): boolean {
  return random.next() < 0.6 / (1 + depth / 2) && depth < 8
}

function fillSingle(random: Random, field: Field, object: JsonObject, depth: number): void {
  if (!field.always && !isChosen(random, depth)) return
  const value = randomValue(random, field, depth)
  const isZero = value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)
  if (value !== null && (field.keepsZero || !isZero)) object[field.name] = value
}

function fillCollection(random: Random, field: Field, object: JsonObject, depth: number): void {
  const size = isChosen(random, depth) ? random.int(3) : 0
  if (size === 0 && !field.always) return
  const values = Array.from({ length: size }, () => randomValue(random, field, depth))
  if (field.shape === Shape.list) object[field.name] = values
  else object[field.name] = Object.fromEntries(values.map((value, index) => [`${randomText(random)}${index}`, value]))
}

function randomValue(random: Random, field: Field, depth: number): unknown {
  if (field.type === Type.message) return randomMessage(random, messageOf(field), depth + 1)
  const make = scalars[field.type]
  if (make === undefined) throw new Error(`no random value for type ${field.type}`)
  return make(random)
}

function randomMessage(random: Random, message: Message, depth: number): unknown {
  if (!message.isUnion) return fill(random, message, {}, depth)
  const choices = message.fields.map((field) =>
    field.shape === Shape.list ? [randomValue(random, field, depth)] : randomValue(random, field, depth),
  )
  return choices[random.int(choices.length)]
}

const texts = [
  "",
  "web",
  "10.0.0.1",
  "kubernetes.io/hostname",
  "Größe ✓ 😀",
  "a rather long sentence that no short path decodes",
  "__proto__",
]
const randomText = (random: Random) => texts[random.int(texts.length)] ?? ""
const randomSeconds = (random: Random) => random.int(2 ** 32) - 2 ** 30
const randomJson = (random: Random) => [{ "f:metadata": { ".": {} } }, { list: [1, null, "x"], deep: { number: 1.5 } }, {}][random.int(3)]

const scalars: { readonly [type: number]: (random: Random) => unknown } = {
  [Type.string]: randomText,
  [Type.int32]: (random) => [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 300][random.int(6)],
  [Type.int64]: (random) => [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 30][random.int(6)],
  [Type.bool]: (random) => random.int(2) === 1,
  [Type.bytes]: (random) => toBase64(random.bytes(random.int(20))),
  [Type.double]: (random) => [0, 1.5, -1e300, 5e-324][random.int(4)],
  [Type.time]: (random) => timeText(randomSeconds(random), 0),
  [Type.microTime]: (random) => microTimeText(randomSeconds(random), random.int(1000000) * 1000, 0),
  [Type.duration]: (random) => durationText(BigInt(random.int(2 ** 32)) * BigInt(random.int(2 ** 31))),
  [Type.quantity]: (random) => ["0", "100m", "1.5Gi", "-3"][random.int(4)],
  [Type.intOrString]: (random) => [0, 8080, "", "25%"][random.int(4)],
  [Type.json]: randomJson,
  [Type.raw]: randomJson,
  [Type.strings]: (random) => ["a", "b", ""].slice(0, random.int(4)),
}
