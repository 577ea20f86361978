import type { KubeObject } from "@pilothouse/api"
import type { Explained } from "./format.ts"
import { nowLines } from "./now-lines.ts"

/** What `explain -o json` prints. */
export interface Explanation {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly health: string
  readonly summary: string
  readonly advice?: string
  readonly conditions: readonly string[]
  /** What controllers think now. */
  readonly now: readonly string[]
  readonly sections: readonly { readonly title: string; readonly lines: readonly string[] }[]
  readonly events: Explained["events"]
  /** What controllers did, oldest first, or would do; as in /debug/trace. */
  readonly history: Explained["reconciles"]
}

/** Returns an explanation as one line of JSON. */
export function explanationJson({ apiVersion, kind, metadata }: KubeObject, explained: Explained): string {
  const { verdict, conditions, reconciles, sections = [], events, unserved, now } = explained
  const { health, summary, advice } = verdict
  const explanation: Explanation = {
    object: { apiVersion: apiVersion ?? "", kind: kind ?? "", namespace: metadata.namespace, name: metadata.name ?? "" },
    health,
    summary,
    advice,
    conditions,
    now: nowLines(reconciles, now, unserved),
    sections: sections.filter(({ lines }) => lines.length > 0),
    events,
    history: reconciles,
  }
  return `${JSON.stringify(explanation)}\n`
}
