import {
  compareAmounts,
  findCondition,
  formatResources,
  lackingResources,
  matchesNodeSelector,
  parseResources,
  podRequests,
  untoleratedTaint,
} from "@pilothouse/api"
import { type Node, nodes, type Pod, persistentVolumeClaims } from "@pilothouse/api/core/v1"
import { claimVerdict } from "./claims.ts"
import type { ClusterView } from "./cluster-view.ts"
import type { Trouble } from "./trouble.ts"

/** Says why no node takes a pod: the one reason that holds for every node, with its numbers, or else the scheduler's words. */
export function unschedulable(pod: Pod, view: ClusterView): Trouble {
  const all = view.list(nodes)
  const found =
    unboundClaim(pod, view) ?? (all.length === 0 ? noNodes : (tooLarge(pod, all) ?? unmatched(pod, all) ?? untolerated(pod, all)))
  const said = findCondition(pod.status?.conditions, "PodScheduled")
  const [why, advice] = found ?? [said?.message ?? notSeen(pod)]
  const isNew = found === undefined && said === undefined
  return {
    cause: `unschedulable ${why}`,
    health: isNew ? "progressing" : "degraded",
    text: (who) => `no node takes ${who}: ${why}`,
    advice,
  }
}

type Reason = readonly [why: string, advice: string]

const noNodes: Reason = ["the cluster has no nodes", "add a node"]

function notSeen({ spec }: Pod): string {
  const name = spec?.schedulerName ?? "default-scheduler"
  return name === "default-scheduler" ? "no scheduler has looked at it" : `the scheduler "${name}", which it asks for, has not looked at it`
}

function unboundClaim({ metadata, spec }: Pod, view: ClusterView): Reason | undefined {
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`)
    if (claimName === undefined) continue
    const claim = view.find(persistentVolumeClaims, claimName, metadata.namespace)
    if (claim === undefined) return [`its claim ${claimName} does not exist`, `create the PersistentVolumeClaim ${claimName}`]
    const { health, summary, advice } = claimVerdict(claim, view)
    if (health === "degraded") return [`its claim ${claimName} is ${summary}`, advice ?? `see "pilothouse explain pvc/${claimName}"`]
  }
  return undefined
}

/** A request that is more than the largest node has of it. */
function tooLarge(pod: Pod, all: readonly Node[]): Reason | undefined {
  const requests = podRequests(pod)
  const lacking = all.map(({ status }) => new Set(lackingResources(requests, parseResources(status?.allocatable))))
  const name = [...requests.keys()].find((one) => lacking.every((set) => set.has(one)))
  if (name === undefined) return undefined
  const amounts = all.flatMap(({ status }) => parseResources(status?.allocatable).get(name) ?? [])
  const largest = amounts.toSorted(compareAmounts).at(-1)
  const text = (amount: NonNullable<typeof largest>) => formatResources(new Map([[name, amount]]))[name]
  const has = largest === undefined ? "no node has any" : `the largest node has ${text(largest)}`
  return [`it requests ${name} ${text(requests.get(name)!)}, and ${has}`, `lower the request for ${name}, or add a larger node`]
}

/** A node selector or required affinity that no node meets. */
function unmatched({ spec }: Pod, all: readonly Node[]): Reason | undefined {
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) {
    if (all.some(({ metadata }) => metadata.labels?.[key] === value)) continue
    return [`its node selector ${key}=${value} matches no node`, `"kubectl label node NODE ${key}=${value}" makes one match`]
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required === undefined || required === null || all.some((node) => matchesNodeSelector(required, node))) return undefined
  return ["its required node affinity matches no node", "change the affinity, or the labels of a node"]
}

function untolerated({ spec }: Pod, all: readonly Node[]): Reason | undefined {
  const taints = all.map((node) => untoleratedTaint(node.spec?.taints, spec?.tolerations, { effects: ["NoSchedule", "NoExecute"] }))
  const [first] = taints
  if (first === undefined || taints.some((taint) => taint === undefined)) return undefined
  const text = `${first.key}${first.value ? `=${first.value}` : ""}:${first.effect}`
  return [`it tolerates the taints of no node, such as ${text}`, "add a toleration to the pod, or take the taint from a node"]
}
