import type { Node } from "@pilothouse/api/core/v1"
import type { InstanceMetadata } from "../provider.ts"

type Labels = Readonly<Record<string, string>>

/** The older name first: where both are there, it is the one that counts. */
const twins = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
] as const

const ofKubernetes = /(^|\.)(kubernetes|k8s)\.io\//

/** What a node is labelled with when the cloud first says what it is. Labels of the cloud's own never replace one that is there. */
export function initialLabels({ metadata }: Node, { zone, region, instanceType, additionalLabels }: InstanceMetadata): Labels {
  const said = [zone, region, instanceType]
  const known = twins.flatMap((names, at) => (said[at] ? names.map((name): [string, string] => [name, said[at] ?? ""]) : []))
  const own = Object.entries(additionalLabels ?? {}).filter(([name]) => !ofKubernetes.test(name) && !(name in (metadata.labels ?? {})))
  return changesOf(metadata.labels ?? {}, Object.fromEntries([...own, ...known]))
}

/** What has to change on a node that is long in use: the newer names follow the older ones. All else belongs to whoever has set it. */
export function laterLabels({ metadata: { labels = {} } }: Node): Labels {
  const follow = twins.flatMap(([older, newer]): [string, string][] => (labels[older] === undefined ? [] : [[newer, labels[older]]]))
  return changesOf(labels, Object.fromEntries(follow))
}

function changesOf(labels: Labels, wanted: Labels): Labels {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => labels[name] !== value))
}
