import { deepEqual, type KubeObject, quoted } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { ResourceSlice } from "@pilothouse/api/resource/v1"
import type { AdmissionAttributes } from "../plugin.ts"
import { refused } from "./node-request.ts"

/** A node has one Lease, of its own name in kube-node-lease. */
export function admitLease(node: string, attributes: AdmissionAttributes): void {
  if (attributes.namespace !== "kube-node-lease") {
    throw refused(attributes, 'can only access leases in the "kube-node-lease" system namespace')
  }
  if (attributes.name !== node) throw refused(attributes, "can only access node lease with the same name as the requesting node")
}

/** A node has one CSINode, of its own name. */
export function admitCsiNode(node: string, attributes: AdmissionAttributes): void {
  if (attributes.name !== node) throw refused(attributes, "can only access CSINode with the same name as the requesting node")
}

/** Refuses slices of other nodes. Updates are decided by the Node authorizer, which knows the node of a slice that exists. */
export function admitResourceSlice(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, old } = attributes
  if (operation === "UPDATE") return
  const slice = (operation === "CREATE" ? object : old) as unknown as ResourceSlice | undefined
  if (slice?.spec?.nodeName === node) return
  throw refused(attributes, `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`)
}

/** What a node reports of a volume that it has resized. */
const reported: ReadonlySet<string> = new Set(["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"])

/** A node reports the size of a volume that it has mounted, and changes nothing else of its claim. */
export function admitClaimStatus(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, old } = attributes
  if (operation !== "UPDATE") throw refused(attributes, `unexpected operation ${quoted(operation)}`)
  const [before, after] = [old, object].map((claim) => withoutReported(claim as unknown as PersistentVolumeClaim))
  const changed = changedFields(before, after)
  if (changed.length === 0) return
  const text = `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions`
  throw refused(attributes, `${text}: ${changed.join(", ")}`)
}

function withoutReported({ metadata, status = {}, ...rest }: PersistentVolumeClaim): object {
  const { resourceVersion: _version, managedFields: _managers, ...kept } = metadata as KubeObject["metadata"] & { managedFields?: unknown }
  return { ...rest, metadata: kept, status: Object.fromEntries(Object.entries(status).filter(([name]) => !reported.has(name))) }
}

/** Upstream prints a diff; the fields say as much. */
function changedFields(before: object = {}, after: object = {}): readonly string[] {
  const [old, young] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...old.keys(), ...young.keys()])].filter((path) => !deepEqual(old.get(path), young.get(path))).sort()
}

/** "spec.volumeName" and its value: two levels are enough to find what was changed. */
function fieldsOf(object: object): ReadonlyMap<string, unknown> {
  const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value)
  const under = (name: string, value: object) => Object.entries(value).map(([key, inner]) => [`${name}.${key}`, inner] as const)
  return new Map(Object.entries(object).flatMap(([name, value]) => (isObject(value) ? under(name, value) : [[name, value] as const])))
}
