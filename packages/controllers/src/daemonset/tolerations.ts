import type { PodSpec, Toleration } from "@pilothouse/api/core/v1"

type Tolerations = readonly Toleration[]

/** A daemon stays with its node whatever state the node is in; only taints that people set keep it away. */
const always: Tolerations = [
  exists("not-ready", "NoExecute"),
  exists("unreachable", "NoExecute"),
  exists("disk-pressure", "NoSchedule"),
  exists("memory-pressure", "NoSchedule"),
  exists("pid-pressure", "NoSchedule"),
  exists("unschedulable", "NoSchedule"),
]

/** Daemons on the host's network are often what brings the network up. */
const onHostNetwork = exists("network-unavailable", "NoSchedule")

export function daemonTolerations(spec: PodSpec | undefined): Tolerations {
  const added = spec?.hostNetwork ? [...always, onHostNetwork] : always
  return added.reduce(withToleration, spec?.tolerations ?? [])
}

/** One that the template has for the same taint is replaced: it may have a limit of time, ours have none. */
function withToleration(tolerations: Tolerations, added: Toleration): Tolerations {
  if (!tolerations.some((one) => isForSame(one, added))) return [...tolerations, added]
  return tolerations.map((one) => (isForSame(one, added) ? added : one))
}

function isForSame(a: Toleration, b: Toleration): boolean {
  return (
    a.key === b.key && a.effect === b.effect && (a.operator ?? "Equal") === (b.operator ?? "Equal") && (a.value ?? "") === (b.value ?? "")
  )
}

function exists(name: string, effect: Toleration["effect"]): Toleration {
  return { key: `node.kubernetes.io/${name}`, operator: "Exists", effect }
}
