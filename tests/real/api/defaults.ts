// What a schema marks as a default must be what the server sets where a user is silent. Defaults that no schema marks (most of apps and core) are listed, not
// judged: packages/api does not claim them.
import type { Schema } from "@pilothouse/api"
import type { Group, Tally } from "../tally.ts"
import { difference } from "./comparable.ts"
import type { LiveObject } from "./live-objects.ts"
import { isRecord } from "./objects/object.ts"

const shownUnmarked = 12

export async function judgeDefaults(tally: Tally, live: readonly LiveObject[]): Promise<void> {
  await tally.group("defaults that schemas mark", async (group) => {
    const unmarked = new Set<string>()
    for (const { title, schema, sent, object } of live) {
      new Comparison(group, title, unmarked).walk(schema, sent, object, sent.kind)
    }
    const some = [...unmarked].sort().slice(0, shownUnmarked)
    group.note(`${unmarked.size} more fields that the server sets are not marked, for instance ${some.join(", ")}`)
  })
}

/** One object: what was sent beside what the server made of it. */
class Comparison {
  readonly #group: Group
  readonly #title: string
  readonly #unmarked: Set<string>

  constructor(group: Group, title: string, unmarked: Set<string>) {
    this.#group = group
    this.#title = title
    this.#unmarked = unmarked
  }

  walk(schema: Schema, sent: unknown, made: unknown, path: string): void {
    if (Array.isArray(made)) {
      made.forEach((item, index) => this.walk(schema.items ?? any, Array.isArray(sent) ? sent[index] : undefined, item, path))
    } else if (isRecord(made) && schema.type === "map") {
      for (const [key, value] of Object.entries(made)) this.walk(schema.items ?? any, isRecord(sent) ? sent[key] : undefined, value, path)
    } else if (isRecord(made)) this.#fields(schema, isRecord(sent) ? sent : {}, made, path)
  }

  #fields(schema: Schema, sent: Readonly<Record<string, unknown>>, made: Readonly<Record<string, unknown>>, path: string): void {
    for (const [name, field] of Object.entries(schema.fields ?? {})) {
      const place = `${path}.${name}`
      if (isServerSet(place)) continue
      if (sent[name] === undefined && isDefault(field.default))
        this.#group.case(`${this.#title}: ${place}`, difference(made[name], field.default, place))
      else if (sent[name] === undefined && made[name] !== undefined && !isRecord(made[name])) this.#unmarked.add(`${schema.name}.${name}`)
      this.walk(field.schema, sent[name], made[name], place)
    }
  }
}

const any: Schema = { type: "any" }

/** Every object has these of its own. */
function isServerSet(place: string): boolean {
  return /^\w+\.(metadata|status)$/.test(place)
}

/** OpenAPI also shows Go's zero values of fields that are always written; those are no defaults. */
function isDefault(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== "" && value !== 0 && value !== false
}
