import type { Descriptor, KubeObject, StatusReason } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { DeleteOptions, PatchType } from "../../client/options.ts"

/** Enough of an object to find it on the server. */
export type ObjectRef = Pick<KubeObject, "apiVersion" | "kind" | "metadata">

interface Reasoned {
  /** Why, in words: logged, traced and printed by `pilothouse explain`. */
  readonly reason: string
}

/** A write to the Kubernetes API. */
export type KubeOperation = Reasoned & {
  /** Refusals of the server that mean there is nothing left to do: they count as success. After a Conflict the key is looked at again. */
  readonly tolerate?: readonly StatusReason[]
  /** The resource, where only discovery knows it: a custom one, or any that the server has. */
  readonly of?: Descriptor
} & (
    | { readonly do: "create"; readonly object: KubeObject }
    | { readonly do: "update"; readonly object: KubeObject; readonly subresource?: string }
    | { readonly do: "status"; readonly object: ObjectRef; readonly status: unknown }
    | {
        readonly do: "patch"
        readonly object: ObjectRef
        readonly patch: unknown
        readonly type?: PatchType
        readonly subresource?: string
      }
    | { readonly do: "delete"; readonly object: ObjectRef; readonly options?: DeleteOptions }
    /** All of a namespace that has them: its metadata says which. */
    | { readonly do: "deleteCollection"; readonly object: ObjectRef; readonly options?: Omit<DeleteOptions, "preconditions"> }
    | { readonly do: "evict"; readonly object: ObjectRef; readonly options?: DeleteOptions }
    | { readonly do: "bind"; readonly object: ObjectRef; readonly node: string }
  )

/**
 * A change of something else: a load balancer, a port, a directory. The controller that plans it brings the executor of its kind.
 * Its kind is two words ("ensure-balancer"), so that the compiler can tell it from those of Kubernetes, which are one.
 */
export interface CustomOperation extends Reasoned {
  readonly do: `${string}-${string}`
  /** What it is done to, in words: "the load balancer of default/web". */
  readonly to: string
}

/**
 * A change of what the controller itself remembers between looks, and of nothing else: it touches no server, so a dry run does it too, and so does
 * whoever does not lead. It happens at once: what a synchronous observe saw of a memory still holds when the first step of its plan changes it.
 */
export interface RememberOperation extends CustomOperation {
  readonly do: `remember-${string}`
}

/** One thing that a plan does. */
export type Operation = KubeOperation | CustomOperation

/** Operations of one step run concurrently; a step begins when the one before it has ended. */
export interface Step {
  readonly operations: readonly Operation[]
  /** 1, 2, 4 … at a time, and no more after a batch with a failure: a quota that refuses one pod will refuse the next 499. */
  readonly slowStart?: boolean
  /** Whether the steps after it are done when something in it fails; "stop" unless told otherwise. */
  readonly onFailure?: "stop" | "continue"
}

/** Says what happened to people who look at the object. */
export interface PlannedEvent {
  readonly about: ObjectRef
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  /** What was done or tried ("Binding"). With it the event is one of events.k8s.io/v1, whose repetitions are a series; without it one of core/v1. */
  readonly action?: string
  /** What else it is about; with an action only. */
  readonly related?: ObjectRef
}

/** What a decision is made of: data, so that it can be shown, traced, replayed and tried without doing it. */
export interface Plan {
  readonly steps: readonly Step[]
  /** Said once every operation of the plan has succeeded: nobody is told of what did not happen. What to say of failures is for settle. */
  readonly events: readonly PlannedEvent[]
  /** Look again after a while even if nothing changes. */
  readonly requeue?: { readonly after: Duration; readonly reason: string }
  /** What has to happen elsewhere before anything more can be done here. */
  readonly waitingFor: readonly string[]
  /** Why there is nothing to do, where there is nothing. */
  readonly summary?: string
  /** The summary is a failure: somebody has to mend something before there is anything to do. */
  readonly stuck?: boolean
}

/** What became of an operation. */
export type Result =
  /**
   * `object` is what the server answered, `value` what the executor of a custom operation gave back. `overtaken`: it was not done, because of a conflict
   * that is fine.
   */
  | { readonly operation: Operation; readonly ok: true; readonly object?: KubeObject; readonly value?: unknown; readonly overtaken?: true }
  | { readonly operation: Operation; readonly ok: false; readonly error: unknown }
  /** Not tried, because something before it failed, or the time was over. */
  | { readonly operation: Operation; readonly ok: "skipped" }

/** Whether an operation is a write to the Kubernetes API. */
export function isKubeOperation(operation: Operation): operation is KubeOperation {
  return !operation.do.includes("-")
}

/** Whether an operation changes only what the controller remembers. */
export function isRememberOperation(operation: Operation): operation is RememberOperation {
  return isRememberKind(operation.do)
}

export function isRememberKind(kind: Operation["do"]): boolean {
  return kind.startsWith("remember-")
}
