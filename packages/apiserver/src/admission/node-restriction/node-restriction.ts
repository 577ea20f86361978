import { quoted } from "@pilothouse/api"
import { nodeNameOf } from "../../authentication/identity.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"
import { refused } from "./node-request.ts"
import { admitNode } from "./nodes.ts"
import { admitClaimStatus, admitCsiNode, admitLease, admitResourceSlice } from "./own-objects.ts"
import { admitEviction, admitPod, admitPodStatus } from "./pods.ts"
import { admitToken } from "./tokens.ts"

type Rule = (node: string, attributes: AdmissionAttributes) => void | Promise<void>

/** By group and resource: what a node may write of it. */
const rules: Readonly<Record<string, Rule>> = {
  "/pods": podRule,
  "/nodes": admitNode,
  "/persistentvolumeclaims": (node, attributes) => {
    if (attributes.subresource !== "status") throw refused(attributes, "may only update PVC status")
    admitClaimStatus(node, attributes)
  },
  "/serviceaccounts": (node, attributes) =>
    attributes.operation === "CREATE" && attributes.subresource === "token" ? admitToken(node, attributes) : undefined,
  "certificates.k8s.io/certificatesigningrequests": async (node, attributes) => {
    // Certificates are read for the first request of a node.
    const loaded = attributes.server.clock.external(import("./certificates.ts"), "loading the rule on certificate requests")
    return (await loaded).admitSigningRequest(node, attributes)
  },
  "certificates.k8s.io/podcertificaterequests": (_node, attributes) => {
    throw refused(attributes, "PodCertificateRequest feature gate is disabled")
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
  throw refused(attributes, `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`)
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
    if (node === "") throw refused(attributes, `could not determine node from user ${quoted(attributes.identity.name)}`)
    const { group, plural } = attributes.resource.descriptor
    return rules[`${group}/${plural}`]?.(node, attributes)
  },
}
