import fc from "fast-check"
import { expect, test } from "vitest"
import { BookSubscription } from "../testing/book-subscription.ts"
import { ModelClient, type ModelResponse } from "../testing/model-client.ts"
import { deltaChange, deltaRequest } from "./delta.ts"
import type { Kind } from "./kinds.ts"
import { isRoot } from "./kinds.ts"
import type { DeltaRequest, SotwRequest } from "./request.ts"
import { sotwChange, sotwRequest } from "./sotw.ts"
import type { Offer, Step } from "./step.ts"
import { Watch } from "./watch.ts"

const names = ["a", "b", "c", "*"] as const
type Act =
  | { do: "set"; name: string; version: string }
  | { do: "remove"; name: string }
  | { do: "flush" }
  | { do: "want" | "drop"; name: string; later: boolean }
  | { do: "to client"; refuse: boolean }
  | { do: "to server" }
  | { do: "reconnect" }

const oneName = fc.constantFrom(...names)
const plainName = fc.constantFrom("a", "b", "c")
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant("set" as const), name: plainName, version: fc.constantFrom("1", "2", "3") }),
  fc.record({ do: fc.constant("remove" as const), name: plainName }),
  fc.constant({ do: "flush" as const }),
  fc.record({ do: fc.constantFrom("want" as const, "drop" as const), name: oneName, later: fc.boolean() }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("to client" as const), refuse: fc.boolean() }) },
  { weight: 3, arbitrary: fc.constant({ do: "to server" as const }) },
  fc.constant({ do: "reconnect" as const }),
)

interface Changes {
  readonly subscribe?: readonly string[]
  readonly unsubscribe?: readonly string[]
  readonly answers?: boolean
}

/** A stream with messages under way in both directions, and the state that it serves. */
class Run {
  readonly kind: Kind
  readonly protocol: "sotw" | "delta"
  readonly world = new Map<string, string>()
  readonly client: ModelClient
  readonly offer: Offer
  watch: Watch
  toServer: (SotwRequest | DeltaRequest)[] = []
  toClient: (ModelResponse & { whole: boolean })[] = []
  dirty = new Set<string>()
  riding: Changes[] = []
  /** What the client has asked for, as far as the server has received it. */
  asked = new BookSubscription()
  #nonce = 0

  constructor(protocol: "sotw" | "delta", kind: Kind) {
    this.protocol = protocol
    this.kind = kind
    this.client = new ModelClient(kind)
    this.watch = new Watch(kind)
    const find = (name: string) => {
      const version = this.world.get(name)
      return version === undefined ? undefined : { name, version }
    }
    this.offer = { find, names: () => this.world.keys() }
    this.ask({})
  }

  do(act: Act): void {
    if (act.do === "set") this.change(act.name, act.version)
    else if (act.do === "remove") this.change(act.name, undefined)
    else if (act.do === "flush") this.flush()
    else if (act.do === "want" || act.do === "drop") this.subscribe(act)
    else if (act.do === "to client") this.deliverToClient(act.refuse)
    else if (act.do === "to server") this.deliverToServer()
    else this.reconnect()
  }

  /** Everything that is under way arrives, and nothing more is refused. */
  settle(): void {
    for (let turn = 0; turn < 100; turn++) {
      this.flush()
      if (this.toServer.length === 0 && this.toClient.length === 0) return
      this.deliverToServer()
      this.deliverToClient(false)
    }
    throw new Error("expected the stream to come to rest, found messages after 100 turns")
  }

  subscribe({ do: what, name, later }: { do: "want" | "drop"; name: string; later: boolean }): void {
    if ((what === "want") === this.client.wanted.has(name)) return
    // By delta an implicit "*" goes on beside the names.
    if (this.client.legacy && this.protocol === "delta") this.client.want("*")
    if (what === "want") this.client.want(name)
    else this.client.drop(name)
    this.client.forgetUnwanted()
    const changes = what === "want" ? { subscribe: [name] } : { unsubscribe: [name] }
    // A change may ride on the next acknowledgement, whose nonce may be stale when it comes.
    if (later && this.toClient.length > 0) this.riding.push(changes)
    else this.ask(changes)
  }

  ask(changes: Changes): void {
    this.toServer.push(this.protocol === "sotw" ? this.client.sotw() : this.client.delta(changes))
  }

  change(name: string, version: string | undefined): void {
    if (version === undefined) this.world.delete(name)
    else this.world.set(name, version)
    this.dirty.add(name)
  }

  flush(): void {
    const change = this.protocol === "sotw" ? sotwChange : deltaChange
    if (this.watch.asked) {
      const step = change(this.watch, this.dirty, new Set(), this.offer)
      this.take(step)
      for (const name of step.answer?.names ?? []) expect(this.asked.has(name), `${name} was asked for`).toBe(true)
    }
    this.dirty.clear()
  }

  take(step: Step): void {
    const { answer } = step
    const nonce = answer === undefined ? "" : String(++this.#nonce)
    this.watch.take(step, this.offer, nonce)
    if (answer === undefined) return
    expect(new Set(answer.names).size, "no name twice").toBe(answer.names.length)
    if (this.protocol === "sotw") expect(answer.removed).toEqual([])
    const resources = new Map(answer.names.map((name) => [name, this.world.get(name)!]))
    this.toClient.push({ nonce, resources, removed: answer.removed, whole: answer.whole })
  }

  deliverToServer(): void {
    const request = this.toServer.shift()
    if (request === undefined) return
    this.asked.capture(request, isRoot(this.kind))
    // What changed before the request is sent with its response or before it, never lost.
    if ("names" in request) this.take(sotwRequest(this.watch, request, this.offer))
    else this.take(deltaRequest(this.watch, request, this.offer))
  }

  deliverToClient(refuse: boolean): void {
    const response = this.toClient.shift()
    if (response === undefined) return
    this.client.take(response, refuse, response.whole)
    const [changes, ...others] = this.riding
    this.riding = []
    this.ask({ ...changes, answers: true })
    for (const other of others) this.ask(other)
  }

  reconnect(): void {
    this.watch = new Watch(this.kind)
    this.asked = new BookSubscription()
    this.toServer = []
    this.toClient = []
    this.riding = []
    this.client.reconnect()
    // Who wants nothing says nothing.
    if (this.client.legacy || this.client.wanted.size > 0 || !isRoot(this.kind)) this.ask({})
  }
}

/** What a client that is at rest must hold: what it wants as it is now, save versions that it refused. */
function expectAtRest(run: Run): void {
  const { client, world, kind } = run
  for (const name of ["a", "b", "c"]) {
    const version = world.get(name)
    const held = client.held.get(name)
    if (!client.wants(name)) continue
    if (version !== undefined && client.refused.get(name) !== version) expect(held, `${name} is held as it is`).toBe(version)
    if (version === undefined && (run.protocol === "delta" || isRoot(kind)) && !client.kept.has(name))
      expect(held, `${name} is gone`).toBeUndefined()
  }
}

test.each([
  ["sotw", "cluster"],
  ["sotw", "endpoint"],
  ["delta", "cluster"],
  ["delta", "endpoint"],
] as const)("%s, %s: after any requests, refusals, reconnects and changes the client holds what it wants", (protocol, kind) => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60, size: "max" }), (acts) => {
      const run = new Run(protocol, kind)
      for (const one of acts) run.do(one)
      run.settle()
      expectAtRest(run)
      // At rest nothing is pending: a flush of everything sends nothing that was sent before.
      for (const name of ["a", "b", "c"]) run.dirty.add(name)
      run.flush()
      expect(run.toClient).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})
