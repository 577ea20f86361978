import { type Descriptor, type KubeObject, keyOf, resourceNameOf } from "@pilothouse/api"
import { type Controller, createManager, type Manager } from "@pilothouse/runtime"
import { type Clock, type Log, parseJson, type Random, type Transport } from "@pilothouse/seams"
import { isKeyOf, reconcilesForObject, type TracedReconcile } from "../trace.ts"

export interface DryRunOptions {
  readonly of: Descriptor
  readonly object: KubeObject
  readonly controllers: readonly Controller[]
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** How long the caches and a first reconcile may take. */
const patience = 10_000
/** How long after that controllers may take to enqueue the key: no more than it takes to notify them of what is there. */
const settling = 100
const pollInterval = 20

/** Runs the controllers of this kind for one reconcile, without a single write: what they would do now, where there is no trace of what they did. */
export async function dryRunControllers({ of, object, controllers, ...seams }: DryRunOptions): Promise<readonly TracedReconcile[]> {
  const concerned = controllers.filter((one) => resourceNameOf(one.for) === resourceNameOf(of))
  if (concerned.length === 0) return []
  const key = keyOf(object)
  const pending = new PendingReconciles((reconciled) => isKeyOf(reconciled, key))
  const manager = createManager({ ...seams, controllers: concerned.map((one) => pending.of(one)), dryRun: true, grace: 0 })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  try {
    return await firstReconciles(manager, { object, pending, clock: seams.clock })
  } finally {
    stop.abort()
    await running
  }
}

interface FirstReconcilesOptions extends Pick<DryRunOptions, "object" | "clock"> {
  readonly pending: PendingReconciles
}

/** Ends when all controllers with a pending key have reconciled it; without any, as soon as that is known: an object that no controller takes is nothing to wait for. */
async function firstReconciles(
  { endpoints, health }: Manager,
  { object, pending, clock }: FirstReconcilesOptions,
): Promise<readonly TracedReconcile[]> {
  const deadline = clock.elapsed() + patience
  let settled = Number.POSITIVE_INFINITY
  for (;;) {
    const reconciles = reconcilesForObject(await tracedReconciles(endpoints), object)
    if (health.ready().every(({ ok }) => ok)) settled = Math.min(settled, clock.elapsed() + settling)
    const isOver = pending.areOver && (reconciles.length > 0 || clock.elapsed() >= settled)
    if (isOver || clock.elapsed() > deadline) return reconciles
    await clock.sleep(pollInterval, { name: "the controllers reconcile" })
  }
}

/** What the endpoints of a manager say of its last reconciles. */
async function tracedReconciles(endpoints: Transport): Promise<readonly TracedReconcile[]> {
  return (await traceOf(endpoints)).entries ?? []
}

export interface TraceAnswer {
  readonly entries?: readonly TracedReconcile[]
  /** Names of the controllers that run there. */
  readonly controllers?: readonly string[]
}

/** Empty where the endpoints have none. */
export async function traceOf(endpoints: Transport): Promise<TraceAnswer> {
  const { status, body } = await endpoints({ verb: "GET", path: "/debug/trace", query: {}, headers: {} })
  const text = body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
  if (status !== 200) return {}
  const value: unknown = body.type === "value" ? body.value : parseJson(text || "{}")
  return value as TraceAnswer
}

/** Which controllers have still to reconcile a key. Invariant: has each controller whose reconcile is pending or running, with its key. */
class PendingReconciles {
  readonly #isAsked: (key: string) => boolean
  readonly #pending = new Set<string>()

  constructor(isAsked: (key: string) => boolean) {
    this.#isAsked = isAsked
  }

  get areOver(): boolean {
    return this.#pending.size === 0
  }

  /**
   * The same controller, watched: its priority function is called whenever a key is enqueued, and onReconciled when the reconcile is over. The key in question goes first,
   * and does not wait for more changes to come together: in a cluster of thousands of objects it would be reconciled last.
   */
  of(controller: Controller): Controller {
    const { name, watches, priority, onReconciled: ended } = controller
    return {
      ...controller,
      watches: watches?.map((one) => ({ ...one, delay: 0 })),
      priority: (key, read) => {
        if (!this.#isAsked(key)) return priority?.(key, read)
        this.#pending.add(`${name} ${key}`)
        return Number.MAX_SAFE_INTEGER
      },
      onReconciled: (key, end) => {
        this.#pending.delete(`${name} ${key}`)
        ended?.(key, end)
      },
    }
  }
}
