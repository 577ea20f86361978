import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { PlannedEvent } from "../controller/plan/plan.ts"

/** A planned event with its source component. */
export interface SourcedEvent extends PlannedEvent {
  readonly component: string
  /** The field manager that writes it; the client's by default. */
  readonly fieldManager?: string | undefined
}

/** The source and object of an event, as a key. */
export function sourceKey({ component, about }: SourcedEvent): string {
  const { namespace, name, uid } = about.metadata
  return [component, about.apiVersion, about.kind, namespace, name, uid].join("/")
}

/** An event to write. */
export interface PendingWrite {
  /** For the log. */
  readonly logged: { readonly reason: string; readonly message: string }
  readonly of: Descriptor
  /** The object to write. */
  readonly event: KubeObject
  /** The patch for a repetition of an existing event; undefined for a new one. */
  readonly patch?: object
  readonly fieldManager?: string | undefined
  /** It was not written: the next one is created again. */
  forget(): void
}
