import type { Descriptor, KubeObject } from "@pilothouse/api"

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
