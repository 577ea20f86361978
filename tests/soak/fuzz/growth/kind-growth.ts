import { createApiServer } from "@pilothouse/apiserver"
import { type Random, seededRandom, silentLog, type Transport, VirtualClock } from "@pilothouse/seams"
import { collectionOf } from "../kinds.ts"
import { alphabetNames, alphabets } from "./alphabets.ts"
import { type FieldPlace, type GrowableField, growableFields, grownValue, objectWith } from "./fields.ts"
import { type Growth, superLinear } from "./growth.ts"

/** Characters of a text; what is cubic takes seconds at the second, and the third is not tried then. */
const textSizes = [1, 200, 1600, 12_800]
/** Items of a list or map. */
const itemSizes = [1, 40, 640, 5120]
/** Levels of nesting. */
const levelSizes = [1, 40, 320, 1280]
/** Growths to one server: what failed halfway leaves things behind. */
const serverLife = 500

/** How a grown object is sent: one way is drawn for each. */
const ways = ["create", "create", "strict", "merge", "strategic", "yaml"] as const
type Way = (typeof ways)[number]

/**
 * Grows one field after the other, with one alphabet after the other, until so many requests have been made: every field is met in the first round.
 * Calls back with each that took more than linear time.
 */
export async function growKinds(random: Random, requests: number, found: (fault: string) => void): Promise<number> {
  const counter = { requests: 0 }
  let transport = freshServer()
  let growths = 0
  for (const growth of eachGrowth(random, () => transport)) {
    if (counter.requests >= requests) break
    const fault = await superLinear(growth, counter)
    if (fault !== undefined) found(fault)
    if (++growths % serverLife === 0) transport = freshServer()
  }
  return counter.requests
}

/** A server to grow objects on. */
export function freshServer(): Transport {
  return createApiServer({ clock: new VirtualClock(), random: seededRandom(1), log: silentLog }).transport()
}

/** Without end: in each round every field once. Texts take the next alphabet in each round. */
function* eachGrowth(random: Random, transport: () => Transport): Generator<Growth> {
  const fields = shuffled(random, growableFields())
  for (let round = 0; ; round++)
    for (const [index, field] of fields.entries()) {
      const place = field.places[random.int(field.places.length)]!
      const alphabet = alphabetNames[(index + round) % alphabetNames.length]!
      // Lists and maps have no alphabets: some rounds are enough for all places.
      if (place.schema.type !== "string" && round % 4 !== 0) continue
      yield growthOf(field, place, alphabet, ways[random.int(ways.length)]!, transport)
    }
}

/** Grows a field at one of its places. */
export function growthOf(field: GrowableField, place: FieldPlace, alphabet: string, way: Way, transport: () => Transport): Growth {
  const isText = place.schema.type === "string"
  const what = isText ? alphabet : place.schema.type
  const path = place.path.map((part) => (typeof part === "number" ? "[]" : `.${part}`)).join("")
  return {
    name: `${field.name} at ${place.kind.kind}${path}, ${what}, ${way}`,
    sizes: isText ? textSizes : place.schema.type === "any" ? levelSizes : itemSizes,
    async run(size) {
      const value = isText ? alphabets[alphabet]!(size) : grownValue(place.schema, size)
      await send(transport(), place, way, objectWith(place, "a", value))
    },
  }
}

async function send(transport: Transport, { kind }: FieldPlace, way: Way, object: object): Promise<void> {
  const path = collectionOf(kind)
  const query = { dryRun: "All", ...(way === "strict" && { fieldValidation: "Strict" }) }
  if (way === "merge" || way === "strategic") {
    // There must be something to patch: the first of a kind creates it.
    const contentType = `application/${way === "merge" ? "merge" : "strategic-merge"}-patch+json`
    const request = { path: `${path}/a`, query, headers: { "content-type": contentType }, body: { type: "value", value: object } } as const
    const { status } = await transport({ verb: "PATCH", ...request })
    if (status !== 404) return
    await transport({ verb: "POST", path, query: {}, headers: {}, body: { type: "value", value: { ...object, metadata: { name: "a" } } } })
    await transport({ verb: "PATCH", ...request })
    return
  }
  const contentType = "application/yaml"
  const bytes = new TextEncoder().encode(JSON.stringify(object))
  const body = way === "yaml" ? ({ type: "bytes", bytes, contentType } as const) : ({ type: "value", value: object } as const)
  await transport({ verb: "POST", path, query, headers: way === "yaml" ? { "content-type": contentType } : {}, body })
}

function shuffled<T>(random: Random, list: readonly T[]): readonly T[] {
  const result = [...list]
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.int(at + 1)
    ;[result[at], result[other]] = [result[other]!, result[at]!]
  }
  return result
}
