import { deepEqual, type KubeObject, quoted } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { ResourceSlice } from "@pilothouse/api/resource/v1"
import { nodeNameOf } from "../../authentication/identity.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"
import { admitNode } from "./nodes.ts"
import { admitEviction, admitPod, admitPodStatus } from "./pods.ts"
import { admitToken } from "./tokens.ts"

/** What a node reports of a volume that it has resized. */
const reported: ReadonlySet<string> = new Set(["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"])

type Rule = (node: string, attributes: AdmissionAttributes) => void | Promise<void>

/** By group and resource: what a node may write of it. */
const rules: Readonly<Record<string, Rule>> = {
  "/pods": podRule,
  "/nodes": admitNode,
  "/persistentvolumeclaims": (node, attributes) => {
    if (attributes.subresource !== "status") throw refusal(attributes, "may only update PVC status")
    admitClaimStatus(node, attributes)
  },
  "/serviceaccounts": (node, attributes) =>
    attributes.operation === "CREATE" && attributes.subresource === "token" ? admitToken(node, attributes) : undefined,
  "certificates.k8s.io/certificatesigningrequests": async (node, attributes) => {
    // Certificates are read for the first request of a node.
    const loaded = attributes.server.clock.external(import("./certificates.ts"), "loading the rule on certificate requests")
    return (await loaded).admitSigningRequest(node, attributes)
  },
  // Of servers that serve them.
  "certificates.k8s.io/podcertificaterequests": async (node, attributes) => {
    const loaded = attributes.server.clock.external(import("./pod-certificates.ts"), "loading the rule on pods' certificates")
    return (await loaded).admitPodCertificateRequest(node, attributes)
  },
  "coordination.k8s.io/leases": admitLease,
  "storage.k8s.io/csinodes": admitCsiNode,
  "resource.k8s.io/resourceslices": admitResourceSlice,
}

function podRule(node: string, attributes: AdmissionAttributes): void {
  const { subresource } = attributes
  if (subresource === "") return admitPod(node, attributes)
  if (subresource === "status") return admitPodStatus(node, attributes)
  if (subresource === "eviction") return admitEviction(node, attributes)
  throw refusal(attributes, `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`)
}

/**
 * Limits what a node (a user `system:node:<name>` in system:nodes) writes to itself, its own pods and what belongs to them: the Node authorizer decides
 * by the names in a request, this plugin by the objects.
 */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  admit(attributes) {
    const node = nodeNameOf(attributes.identity)
    if (node === undefined || attributes.operation === ("CONNECT" as string)) return
    if (node === "") throw refusal(attributes, `could not determine node from user ${quoted(attributes.identity.name)}`)
    const { group, plural } = attributes.resource.descriptor
    return rules[`${group}/${plural}`]?.(node, attributes)
  },
}

/** A node has one Lease, of its own name in kube-node-lease. */
function admitLease(node: string, attributes: AdmissionAttributes): void {
  if (attributes.namespace !== "kube-node-lease") {
    throw refusal(attributes, 'can only access leases in the "kube-node-lease" system namespace')
  }
  if (attributes.name !== node) throw refusal(attributes, "can only access node lease with the same name as the requesting node")
}

/** A node has one CSINode, of its own name. */
function admitCsiNode(node: string, attributes: AdmissionAttributes): void {
  if (attributes.name !== node) throw refusal(attributes, "can only access CSINode with the same name as the requesting node")
}

/** Refuses slices of other nodes. Updates are decided by the Node authorizer, which knows the node of a slice that exists. */
function admitResourceSlice(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, old } = attributes
  if (operation === "UPDATE") return
  const slice = (operation === "CREATE" ? object : old) as unknown as ResourceSlice | undefined
  if (slice?.spec?.nodeName === node) return
  throw refusal(attributes, `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`)
}

/** A node reports the size of a volume that it has mounted, and changes nothing else of its claim. */
function admitClaimStatus(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, old } = attributes
  if (operation !== "UPDATE") throw refusal(attributes, `unexpected operation ${quoted(operation)}`)
  const [before, after] = [old, object].map((claim) => withoutReported(claim as unknown as PersistentVolumeClaim))
  const changed = changedFields(before, after)
  if (changed.length === 0) return
  const text = `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions`
  throw refusal(attributes, `${text}: ${changed.join(", ")}`)
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
