import { type KubeObject, keyOf, parseTime } from "@pilothouse/api"
import type { TraceLine } from "@pilothouse/runtime"

/** An operation, or what became of one. */
interface TracedDeed {
  /** "create", "remember-heartbeat" */
  readonly do?: string
  /** What is written, where it is an object of the cluster. */
  readonly object?: Partial<KubeObject>
}

/** One reconcile of a key by a controller, as in /debug/trace. */
export interface TracedReconcile {
  readonly at: string
  readonly controller: string
  readonly key: string
  readonly causes: readonly string[]
  /** "Deployment default/web@1234" */
  readonly observed: readonly string[]
  /** The plan and what became of it. */
  readonly lines: readonly TraceLine[]
  readonly plan?: {
    readonly summary?: string
    readonly steps: readonly { readonly operations: readonly TracedDeed[] }[]
    readonly waitingFor: readonly string[]
  }
  /** Left out of a dry run. */
  readonly results?: readonly TracedDeed[]
  readonly error?: string
  /** The error is a conflict: another client wrote the object in between. */
  readonly conflict?: boolean
  /** How many looks in a row have failed, this one included. */
  readonly failures?: number
  /** It failed, and only a change brings it back. */
  readonly givenUp?: boolean
  /** When the key is requeued; left out where only a change brings the next reconcile. */
  readonly nextAt?: string
  /** Of a dry run, which asks every controller: this one does not run in the cluster. */
  readonly absent?: boolean
}

/** Returns the reconciles of the object, oldest first; where there are none, those that read or wrote it on behalf of others. */
export function reconcilesForObject(reconciles: readonly TracedReconcile[], object: KubeObject): readonly TracedReconcile[] {
  const key = keyOf(object)
  const seen = `${object.kind} ${key}@`
  const touching = reconciles
    .filter((reconcile) => reconcile.observed.some((one) => one.startsWith(seen)) || isWrittenBy(reconcile, object))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
  const about = touching.filter((reconcile) => isKeyOf(reconcile.key, key))
  return sinceItIsThere(about.length > 0 ? about : touching, object)
}

/** Milliseconds that a reconcile may have begun before what it made was there, or that two clocks may be apart. */
const leeway = 2000

/** What was done to an earlier one of its name is not its story. Where nothing is left, the clocks are too far apart to tell. */
function sinceItIsThere(reconciles: readonly TracedReconcile[], { metadata }: KubeObject): readonly TracedReconcile[] {
  if (metadata.creationTimestamp === undefined || metadata.creationTimestamp === null) return reconciles
  const born = parseTime(metadata.creationTimestamp) - leeway
  const own = reconciles.filter(({ at }) => parseTime(at) >= born)
  return own.length > 0 ? own : reconciles
}

/** A controller that creates an object has not read it. */
function isWrittenBy({ plan }: TracedReconcile, { kind, metadata }: KubeObject): boolean {
  const written = plan?.steps.flatMap(({ operations }) => operations.map((operation) => operation.object)) ?? []
  return written.some(
    (one) => one?.kind === kind && one.metadata?.name === metadata.name && (one.metadata?.namespace ?? "") === (metadata.namespace ?? ""),
  )
}

/** Controllers with several concerns say which before the key: "node:node-1", "replicasets.apps default/web-1". */
export function isKeyOf(reconciled: string, key: string): boolean {
  return reconciled === key || reconciled.endsWith(`:${key}`) || reconciled.endsWith(` ${key}`)
}

/** A reconcile that did, said or failed at something; the others only found that all was well, or noted the heartbeat of a node. */
export function isEventful({ results, error, plan }: TracedReconcile): boolean {
  const deeds = (results ?? plan?.steps.flatMap(({ operations }) => operations) ?? []).filter((deed) => !isNoted(deed))
  return deeds.length > 0 || error !== undefined || (plan?.waitingFor.length ?? 0) > 0
}

/** Reports whether an operation only changes what the controller remembers: that a node has sent its heartbeat. */
export function isNoted({ do: kind = "" }: TracedDeed): boolean {
  return kind.startsWith("remember-")
}

/** The last reconcile of each controller: what each thinks of the object now. */
export function lastReconciles(reconciles: readonly TracedReconcile[]): readonly TracedReconcile[] {
  const byController = new Map<string, TracedReconcile>()
  for (const reconcile of reconciles) byController.set(`${reconcile.controller} ${reconcile.key}`, reconcile)
  return [...byController.values()]
}
