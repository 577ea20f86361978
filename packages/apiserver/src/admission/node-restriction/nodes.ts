import { deepEqual, quoted } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { type AdmissionAttributes, refusal } from "../plugin.ts"

/** A node writes itself alone, and neither its taints nor its owners nor labels by which pods are kept from it or sent to it. */
export function admitNode(node: string, attributes: AdmissionAttributes): void {
  const { operation, name, object, old } = attributes
  if (name !== node) throw refusal(attributes, `node ${quoted(node)} is not allowed to modify node ${quoted(name)}`)
  if (operation === "CREATE") checkNew(node, attributes, object as unknown as Node)
  if (operation === "UPDATE") checkChanged(node, attributes, old as Node, object as unknown as Node)
}

function checkNew(node: string, attributes: AdmissionAttributes, { metadata, spec }: Node): void {
  if (spec?.configSource !== undefined) {
    throw refusal(attributes, `node ${quoted(node)} is not allowed to create pods with a non-nil configSource`)
  }
  const labels = forbiddenLabels({}, metadata.labels)
  if (labels.length > 0) throw refusal(attributes, `node ${quoted(node)} is not allowed to set the following labels: ${labels.join(", ")}`)
}

function checkChanged(node: string, attributes: AdmissionAttributes, before: Node, after: Node): void {
  const forbid = (what: string) => refusal(attributes, `node ${quoted(node)} is not allowed to ${what}`)
  const { configSource } = after.spec ?? {}
  if (configSource !== undefined && !deepEqual(configSource, before.spec?.configSource)) {
    throw forbid("update configSource to a new non-nil configSource")
  }
  if (!deepEqual(after.spec?.taints ?? [], before.spec?.taints ?? [])) throw forbid("modify taints")
  if (!deepEqual(after.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? [])) throw forbid("modify ownerReferences")
  const labels = forbiddenLabels(before.metadata.labels, after.metadata.labels)
  if (labels.length > 0) throw refusal(attributes, `is not allowed to modify labels: ${labels.join(", ")}`)
}

type Labels = Readonly<Record<string, string>>

/** Labels that kubelets set on their own nodes. */
const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
])

/** Returns the labels among those that differ that a node may not set, in alphabetical order. */
function forbiddenLabels(before: Labels = {}, after: Labels = {}): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].filter((key) => before[key] !== after[key] && isForbidden(key)).sort()
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/")
  const domain = slash < 0 ? "" : key.slice(0, slash)
  const within = (name: string) => domain === name || domain.endsWith(`.${name}`)
  if (within("node-restriction.kubernetes.io")) return true
  if (!within("kubernetes.io") && !within("k8s.io")) return false
  return !kubeletLabels.has(key) && !within("kubelet.kubernetes.io") && !within("node.kubernetes.io")
}
