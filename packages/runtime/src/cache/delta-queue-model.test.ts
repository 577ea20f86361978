import type { ConfigMap } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { expect, test } from "vitest"
import { type Delta, DeltaQueue } from "./delta-queue.ts"

type Command =
  | { readonly do: "add" | "update" | "delete"; readonly name: string }
  | { readonly do: "replace"; readonly names: readonly string[] }
  | { readonly do: "resync" }
  | { readonly do: "pop" }

const name = fc.constantFrom("a", "b", "c", "d")
const news: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("add", "update", "delete"), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("replace"), names: fc.uniqueArray(name) }) },
)
const reminder = fc.constant<Command>({ do: "resync" })
const pop = fc.constant<Command>({ do: "pop" })

function named(given: string, version: number): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: given, resourceVersion: String(version) } }
}

/** "added@1", "deleted?@2". */
function short(delta: Delta<ConfigMap>): string {
  const unknown = delta.type === "deleted" && delta.finalStateUnknown ? "?" : ""
  return `${delta.type}${unknown}@${delta.object.metadata.resourceVersion}`
}

/**
 * What a delta queue should be, in the plainest words: a list of words for each name, in the order in which the names were first queued;
 * what the producer says there is; and what the consumer, who follows the deltas, takes for true. Each command is done to both, and compared.
 */
class Model {
  readonly #known = new Map<string, ConfigMap>()
  readonly #queue = new DeltaQueue<ConfigMap>(this.#known)
  readonly #queued = new Map<string, string[]>()
  readonly #truth = new Map<string, ConfigMap>()
  /** Names of the first list that were not popped yet; undefined before anything came. */
  #first: Set<string> | undefined
  #version = 0

  play(command: Command): void {
    if (command.do === "pop") this.#pop()
    else if (command.do === "resync") this.#resync()
    else if (command.do === "replace") this.#replace(command.names)
    else if (command.do === "delete") this.#delete(command.name)
    else this.#put(command.do, command.name)
    expect(this.#queue.size).toBe([...this.#queued.values()].flat().length)
    expect(this.#queue.hasSynced).toBe(this.#first?.size === 0)
  }

  /** Everything is popped: the consumer has what the producer meant. */
  finish(): void {
    while (this.#queued.size > 0) this.#pop()
    expect(this.#queue.pop()).toBeUndefined()
    expect(new Map([...this.#known].sort())).toEqual(new Map([...this.#truth].sort()))
  }

  #put(how: "add" | "update", given: string): void {
    const object = named(given, ++this.#version)
    this.#first ??= new Set()
    this.#truth.set(given, object)
    this.#learn(given, `${how === "add" ? "added" : "updated"}@${this.#version}`)
    this.#queue[how](object)
  }

  #delete(given: string): void {
    const version = ++this.#version
    this.#first ??= new Set()
    this.#truth.delete(given)
    if (this.#queued.has(given) || this.#known.has(given)) this.#learn(given, `deleted@${version}`)
    this.#queue.delete(named(given, version))
  }

  #replace(names: readonly string[]): void {
    const listed = names.map((given) => named(given, ++this.#version))
    for (const gone of new Set([...this.#queued.keys(), ...this.#known.keys()])) {
      const version = this.#queued.get(gone)?.at(-1)?.split("@")[1] ?? this.#known.get(gone)?.metadata.resourceVersion
      if (!names.includes(gone)) this.#learn(gone, `deleted?@${version}`)
    }
    for (const object of listed) this.#learn(object.metadata.name ?? "", `replaced@${object.metadata.resourceVersion}`)
    this.#first ??= new Set(this.#queued.keys())
    this.#truth.clear()
    for (const object of listed) this.#truth.set(object.metadata.name ?? "", object)
    this.#queue.replace(listed)
  }

  #resync(): void {
    for (const [given, { metadata }] of this.#known) if (!this.#queued.has(given)) this.#learn(given, `sync@${metadata.resourceVersion}`)
    this.#queue.resync()
  }

  #learn(given: string, delta: string): void {
    const deltas = this.#queued.get(given) ?? []
    const twice = delta.startsWith("deleted") && deltas.at(-1)?.startsWith("deleted")
    // Of two deletes in a row the one that saw the object go.
    if (!twice) deltas.push(delta)
    else if (!delta.startsWith("deleted?")) deltas.splice(-1, 1, delta)
    this.#queued.set(given, deltas)
  }

  #pop(): void {
    const [expected] = this.#queued
    const popped = this.#queue.pop()
    expect(popped && [popped.key, popped.deltas.map(short)]).toEqual(expected)
    if (popped === undefined) return
    expect(popped.initial).toBe(this.#first?.size !== 0)
    this.#queued.delete(popped.key)
    this.#first?.delete(popped.key)
    for (const delta of popped.deltas) {
      if (delta.type === "deleted") this.#known.delete(popped.key)
      else this.#known.set(popped.key, delta.object)
    }
  }
}

test("model: whatever is done, each pop gives what the rules say, and the consumer ends with what the producer meant", () => {
  const commands = fc.array(fc.oneof({ weight: 4, arbitrary: news }, reminder, { weight: 2, arbitrary: pop }), {
    maxLength: 60,
    size: "max",
  })
  const property = fc.property(commands, (played) => {
    const model = new Model()
    for (const command of played) model.play(command)
    model.finish()
  })
  fc.assert(property, { numRuns: 500 })
})

test("races: a watch, reminders and a consumer that come in any order", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(news, { maxLength: 25, size: "max" }),
    fc.nat({ max: 4 }),
    fc.nat({ max: 15 }),
    async (scheduler, watched, reminders, pops) => {
      const model = new Model()
      const inTurn = (commands: readonly Command[]) =>
        scheduler.scheduleSequence(
          commands.map((command) => ({ builder: async () => model.play(command), label: JSON.stringify(command) })),
        ).task
      const playing = [
        inTurn(watched),
        inTurn(Array.from({ length: reminders }, () => ({ do: "resync" }))),
        inTurn(Array.from({ length: pops }, () => ({ do: "pop" }))),
      ]
      await scheduler.waitFor(Promise.all(playing))
      expect((await Promise.all(playing)).map(({ faulty }) => faulty)).toEqual([false, false, false])
      model.finish()
    },
  )
  await fc.assert(property, { numRuns: 300 })
})
