import type { Descriptor, KubeObject, StatusReason } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { DeleteOptions, PatchType } from "../../client/wire/options.ts"

/** The fields that identify an object on the server. */
export type ObjectRef = Pick<KubeObject, "apiVersion" | "kind" | "metadata">

interface Reasoned {
  /** The reason for people: logged, traced and printed by `pilothouse explain`. */
  readonly reason: string
}

/** A write to the Kubernetes API. */
export type KubeOperation = Reasoned & {
  /** Refusals of the server that count as success. After a Conflict the key is reconciled again. */
  readonly tolerate?: readonly StatusReason[]
  /** The resource, where it is only known by discovery. */
  readonly of?: Descriptor
} & (
    | { readonly do: "create"; readonly object: KubeObject }
    /** Becomes a create, a patch, or nothing, before the plan is executed. */
    | { readonly do: "ensure"; readonly object: KubeObject }
    | { readonly do: "update"; readonly object: KubeObject; readonly subresource?: string }
    | { readonly do: "status"; readonly object: ObjectRef; readonly status: unknown }
    | {
        readonly do: "patch"
        readonly object: ObjectRef
        readonly patch: unknown
        readonly type?: PatchType
        readonly subresource?: string
      }
    | { readonly do: "apply"; readonly object: ObjectRef; readonly force?: boolean; readonly subresource?: string }
    | { readonly do: "delete"; readonly object: ObjectRef; readonly options?: DeleteOptions }
    /** All objects of the kind in the namespace of its metadata. */
    | { readonly do: "deleteCollection"; readonly object: ObjectRef; readonly options?: Omit<DeleteOptions, "preconditions"> }
    | { readonly do: "evict"; readonly object: ObjectRef; readonly options?: DeleteOptions }
    | { readonly do: "bind"; readonly object: ObjectRef; readonly node: string }
  )

/**
 * A change outside Kubernetes: of a load balancer, a port, a directory. The controller that plans it has an executor of its kind.
 * Its kind is two words ("ensure-balancer"), so that the compiler distinguishes it from the verbs of Kubernetes, which are one word.
 */
export interface CustomOperation extends Reasoned {
  readonly do: `${string}-${string}`
  /** Its target, for people: "the load balancer of default/web". */
  readonly to: string
}

/**
 * A change of the memory that a controller keeps between reconciles, and of nothing else: it sends no request, so it is executed in a dry run and by
 * a standby. It is synchronous: what a synchronous observe read of the memory still holds when the first step of its plan changes it.
 */
export interface RememberOperation extends CustomOperation {
  readonly do: `remember-${string}`
}

/** One operation of a plan. */
export type Operation = KubeOperation | CustomOperation

/** Operations of one step run concurrently; a step begins when the one before it has ended. */
export interface Step {
  readonly operations: readonly Operation[]
  /** Runs 1, 2, 4 … at a time, and no more after a batch with a failure: a quota that refuses one pod refuses the next 499. */
  readonly slowStart?: boolean
  /** Whether later steps run when an operation of this one fails; "stop" by default. */
  readonly onFailure?: "stop" | "continue"
}

/** A Kubernetes Event to record about an object. */
export interface PlannedEvent {
  readonly about: ObjectRef
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  /** The attempted action ("Binding"). With it the event is one of events.k8s.io/v1, whose repetitions are a series; without it one of core/v1. */
  readonly action?: string
  /** A second object that it is about; with an action only. */
  readonly related?: ObjectRef
}

/** The result of a decision, as data: it can be shown, traced, replayed and dry-run. */
export interface Plan {
  readonly steps: readonly Step[]
  /** Recorded once every operation of the plan has succeeded. Events about failures are planned by settle. */
  readonly events: readonly PlannedEvent[]
  /** Reconcile again after a delay even if nothing changes. */
  readonly requeue?: { readonly after: Duration; readonly reason: string }
  /** What the controller waits for before it can continue. */
  readonly waitingFor: readonly string[]
  /** Why there is nothing to do. */
  readonly summary?: string
  /** The summary is a failure that a user has to fix. */
  readonly stuck?: boolean
}

/** The result of an operation. */
export type Result =
  /**
   * `object` is the server's response, `value` the result of the executor of a custom operation. `overtaken`: it was not done, because of a conflict
   * that is tolerated.
   */
  | { readonly operation: Operation; readonly ok: true; readonly object?: KubeObject; readonly value?: unknown; readonly overtaken?: true }
  | { readonly operation: Operation; readonly ok: false; readonly error: unknown }
  /** Not tried, because an earlier operation failed, or the reconcile timed out. */
  | { readonly operation: Operation; readonly ok: "skipped" }

/** Reports whether an operation is a write to the Kubernetes API. */
export function isKubeOperation(operation: Operation): operation is KubeOperation {
  return !operation.do.includes("-")
}

/** Reports whether an operation changes only the controller's memory. */
export function isRememberOperation(operation: Operation): operation is RememberOperation {
  return isRememberKind(operation.do)
}

/** Reports whether an operation only updates memory of the controller; such operations are executed in a dry run too. */
export function isRememberKind(kind: Operation["do"]): boolean {
  return kind.startsWith("remember-")
}
