import { type KubeObject, keyOf, selectorOf } from "@pilothouse/api"
import { type ControllerRevision, type DaemonSet, daemonSets } from "@pilothouse/api/apps/v1"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { byController, claim, type KubeOperation, liveOwner, type Reader } from "@pilothouse/runtime"
import { candidateRevisions, type Proposal, proposeRevision } from "../controller-revisions/observe-revisions.ts"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { selectorIndex } from "../shared/selector-index.ts"
import type { Backoff, FailedPods } from "./failed-pods.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const daemonSetsBySelector = selectorIndex(daemonSets, ({ spec }) => selectorOf(spec?.selector))

/** A DaemonSet, the nodes that it may run on, its pods and its revisions. */
export interface Observed {
  readonly daemonSet: DaemonSet
  readonly nodes: readonly Node[]
  /** Its own, and the orphans that the claims make its own. */
  readonly pods: readonly Pod[]
  readonly revisions: readonly ControllerRevision[]
  readonly proposal: Proposal
  /** Adoptions and releases. */
  readonly claims: readonly KubeOperation[]
  /** Of the nodes on which pods of this generation have failed. */
  readonly backoffs: ReadonlyMap<string, Backoff>
}

/** Reads a DaemonSet, its pods and revisions (claimed by live reads where an adoption is due) and all nodes; undefined when it is gone. */
export async function observe(key: string, read: Reader, failed: FailedPods): Promise<Observed | undefined> {
  const first = read.get(daemonSets, key)
  if (first === undefined) return undefined
  const live = await liveOwner<KubeObject>(read, { ...claimFor(first), candidates: candidatesFor(first, read) })
  // The caches may have moved on while the server was asked.
  const daemonSet = live === undefined ? first : read.get(daemonSets, key)
  if (daemonSet === undefined) return undefined
  const options = { ...claimFor(daemonSet), live }
  const ofPods = claim({ ...options, candidates: candidatePods(daemonSet, read) })
  const ofRevisions = claim({ ...options, candidates: candidateRevisions(read, daemonSet, options.selector) })
  const all = read.list(nodes)
  return {
    daemonSet,
    nodes: all,
    pods: ofPods.owned,
    revisions: ofRevisions.owned,
    proposal: proposeRevision(read, daemonSet, daemonSet.spec?.template ?? {}, daemonSet.status?.collisionCount ?? 0),
    claims: [...ofPods.adopt, ...ofPods.release, ...ofRevisions.adopt, ...ofRevisions.release],
    backoffs: nodeBackoffs(daemonSet, all, failed),
  }
}

function claimFor(owner: DaemonSet) {
  return { owner, kind: daemonSets, selector: daemonSetsBySelector.selectorOf(owner) }
}

function candidatesFor(owner: DaemonSet, read: Reader): readonly KubeObject[] {
  return [...candidatePods(owner, read), ...candidateRevisions(read, owner, daemonSetsBySelector.selectorOf(owner))]
}

function candidatePods(owner: DaemonSet, read: Reader): readonly Pod[] {
  const orphans = orphansMatching(read, orphanPods, owner.metadata.namespace ?? "", daemonSetsBySelector.selectorOf(owner))
  return [...read.byIndex(podsByController, owner.metadata.uid ?? ""), ...orphans]
}

function nodeBackoffs(owner: DaemonSet, all: readonly Node[], failed: FailedPods): ReadonlyMap<string, Backoff> {
  const entries = all.map((node) => [keyOf(node), failed.of(owner, keyOf(node))] as const)
  return new Map(entries.filter((entry): entry is [string, Backoff] => entry[1] !== undefined))
}
