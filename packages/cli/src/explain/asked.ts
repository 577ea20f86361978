import type { TracedLook } from "./history/trace.ts"

/** What an answer goes by, beside the object that it is about. */
export interface Asked {
  /** Milliseconds since 1970. */
  readonly now: number
  /** That of the context: commands that are shown need not name it. */
  readonly defaultNamespace?: string
  /** Names of the controllers in the process of the API server, where it tells. */
  readonly controllers?: readonly string[]
  /** Of controllers at the object, oldest first. */
  readonly looks?: readonly TracedLook[]
}
