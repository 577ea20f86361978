import type { TracedReconcile } from "./trace.ts"

/** What an answer goes by, beside the object that it is about. */
export interface ExplainContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** That of the context: commands that are shown need not name it. */
  readonly defaultNamespace?: string
  /** Names of the controllers in the process of the API server, where it tells. */
  readonly controllers?: readonly string[]
  /** Reconciles of the object, oldest first. */
  readonly reconciles?: readonly TracedReconcile[]
}

/** A command for people to type, with the namespace that it is about: one that was explained by -n is found by -n only. */
export function shownCommand(command: string, namespace: string | undefined, defaultNamespace = "default"): string {
  return `"${command}${namespace === undefined || namespace === defaultNamespace ? "" : ` -n ${namespace}`}"`
}
