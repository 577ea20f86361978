import { isPodReady } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"
import { hashLabel } from "./daemon-pod.ts"
import { waitBeforeDeletion } from "./failed-pods.ts"
import { allowsSurge } from "./rolling-update.ts"
import { type Creation, isAvailable, isDeleted, type Removal, type SyncState, type Work } from "./sync-state.ts"

/** One pod on every node that should have one, and none elsewhere. Whether it is of the present template is for the rollout. */
export function manage(state: SyncState): Work {
  const works = [...state.eligible.keys()].map((node) => manageNode(node, state))
  const waits = works.flatMap(({ wait }) => wait ?? [])
  return {
    create: works.flatMap(({ create }) => create),
    remove: [...works.flatMap(({ remove }) => remove), ...podsOfMissingNodes(state)],
    wait: waits.length === 0 ? undefined : smallestOf(waits),
  }
}

function manageNode(node: string, state: SyncState): Work {
  const { runs, stays, reason = "" } = state.eligible.get(node)!
  const pods = state.onNodes.get(node)
  if (pods === undefined) return { create: runs ? [missing(node)] : [], remove: [] }
  const present = pods.filter((pod) => !isDeleted(pod))
  if (!stays) return { create: [], remove: present.map((pod) => ({ node, pod, reason })) }
  const { remove, wait } = ended(node, present, state)
  const running = present.filter(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded")
  if (!allowsSurge(state.daemonSet)) return { create: [], remove: [...remove, ...surplus(node, running)], wait }
  // With room for a second pod the first need not stop before.
  const create = running.length === 0 && runs ? [missing(node)] : []
  return { create, remove: [...remove, ...surplusOfSurge(node, running, state)], wait }
}

function missing(node: string): Creation {
  return { node, reason: `${node} should run a pod and has none` }
}

/** Failed pods stay for a while that grows with every failure: otherwise the controller and a kubelet that rejects pods would race for ever. */
function ended(node: string, pods: readonly Pod[], { backoffs, now }: SyncState): Pick<Work, "remove" | "wait"> {
  const wait = waitBeforeDeletion(backoffs.get(node), now)
  const failed = pods.filter(({ status }) => status?.phase === "Failed")
  const succeeded = pods.filter(({ status }) => status?.phase === "Succeeded")
  // The first failure noted starts the wait of the second.
  const replaced = wait > 0 ? [] : failed.slice(0, 1)
  const remove: readonly Removal[] = [
    ...replaced.map((pod) => ({ node, pod, reason: `it failed on ${node}`, found: "failed" as const })),
    ...succeeded.map((pod) => ({ node, pod, reason: `it has ended on ${node}, and a daemon should not`, found: "succeeded" as const })),
  ]
  return { remove, wait: failed.length > replaced.length ? Math.max(wait, 1) : undefined }
}

function surplus(node: string, [oldest, ...others]: readonly Pod[]): readonly Removal[] {
  return others.map((pod) => ({ node, pod, reason: `${node} has ${oldest?.metadata.name} already, which is older` }))
}

/** An old and a new pod may stand side by side while the old one is ready and the new one is not available yet. */
function surplusOfSurge(node: string, running: readonly Pod[], state: SyncState): readonly Removal[] {
  if (running.length <= 1) return []
  const isNew = ({ metadata }: Pod) => metadata.labels?.[hashLabel] === state.hash
  const [[newest, ...otherNew], [old, ...otherOld]] = [running.filter(isNew), running.filter((pod) => !isNew(pod))]
  const others = [...otherNew, ...otherOld].map((pod) => ({ node, pod, reason: `${node} has an older pod of the same template` }))
  if (newest === undefined || old === undefined) return others
  if (!isPodReady(old)) return [...others, { node, pod: old, reason: `it is not ready, and ${newest.metadata.name} takes its place` }]
  if (!isAvailable(newest, state)) return others
  return [...others, { node, pod: old, reason: `${newest.metadata.name} is available in its place` }]
}

/** Pods that wait for a deleted node. No other controller deletes them: they were never scheduled. */
function podsOfMissingNodes({ onNodes, eligible }: SyncState): readonly Removal[] {
  return [...onNodes].flatMap(([node, pods]) =>
    eligible.has(node)
      ? []
      : pods
          .filter((pod) => !pod.spec?.nodeName && !isDeleted(pod))
          .map((pod) => ({ node, pod, reason: `it waits for ${node}, which is gone` })),
  )
}
