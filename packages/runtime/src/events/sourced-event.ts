import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { PlannedEvent } from "../controller/plan/plan.ts"

/** A planned event with who says it. */
export interface SourcedEvent extends PlannedEvent {
  readonly component: string
}

/** Who says something about what. */
export function sourceKey({ component, about }: SourcedEvent): string {
  const { namespace, name, uid } = about.metadata
  return [component, about.apiVersion, about.kind, namespace, name, uid].join("/")
}

/** An event on its way to the server. */
export interface PendingWrite {
  /** For the log. */
  readonly logged: { readonly reason: string; readonly message: string }
  readonly of: Descriptor
  /** As it is to be on the server. */
  readonly event: KubeObject
  /** What a repetition changes of the event that is there; without it the event is new. */
  readonly patch?: object
  /** It never came to the server: the next one is made anew. */
  forget(): void
}
