import { controllerOf, type KubeObject } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { shownName } from "../../client/find-resource.ts"
import { type ClusterView, readClusterView } from "./cluster-view.ts"
import { judgedKinds, verdictOf } from "./rules.ts"
import { compareHealth, type Verdict } from "./verdict.ts"

/** An object that is not healthy. */
export interface Unwell {
  /** "deployment.apps/web" */
  readonly name: string
  readonly namespace?: string
  readonly verdict: Verdict
}

/**
 * Returns what is not well in a namespace, or in all of the cluster, worst first. What is owned by an object of the list is left out: its owner's line
 * has the cause.
 */
export async function listUnwell(client: Client, namespace: string | undefined, now: number): Promise<readonly Unwell[]> {
  const view = await readClusterView(client, namespace, now)
  const found = judgedKinds.filter((of) => namespace === undefined || of.namespaced).flatMap((of) => judged(of, view))
  const suffering = new Set(found.map(({ object }) => object.metadata.uid))
  return found
    .filter(({ object }) => !suffering.has(controllerOf(object)?.uid))
    .map(({ name, object, verdict }) => ({ name, namespace: object.metadata.namespace, verdict }))
    .toSorted((a, b) => compareHealth(a.verdict, b.verdict))
}

interface Judged {
  readonly name: string
  readonly object: KubeObject
  readonly verdict: Verdict
}

function judged(of: (typeof judgedKinds)[number], view: ClusterView): readonly Judged[] {
  return view.list(of).flatMap((object) => {
    const verdict = verdictOf(of, object, view)
    return verdict.health === "healthy" ? [] : [{ name: shownName(of, object.metadata.name ?? ""), object, verdict }]
  })
}
