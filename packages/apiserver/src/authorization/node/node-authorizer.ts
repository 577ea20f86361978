import { apiVersionOf, quoted } from "@pilothouse/api"
import { podCertificateRequests } from "@pilothouse/api/certificates/v1beta1"
import { lazy } from "@pilothouse/seams"
import { nodeNameOf } from "../../authentication/identity.ts"
import { type Authorizer, type Decision, isResource, noOpinion, noRules, type ResourceAttributes, type Rules } from "../authorizer.ts"
import { nodeRules } from "../bootstrap-policy/policy-objects.ts"
import { ruleAllows } from "../rbac/rule-allows.ts"
import type { NodeGraph } from "./node-graph.ts"

/** A request of a node, with what is known of the objects that it needs. */
interface NodeRequest {
  readonly node: string
  readonly what: ResourceAttributes
  readonly graph: () => Pick<NodeGraph, "leadsTo">
  /** Group versions that are off by default and served. */
  readonly enabledVersions: readonly string[]
}

const allowed: Decision = { allowed: true }
const refused = (reason: string): Decision => ({ allowed: false, reason })

const unlisted: Rules = { ...noRules, incomplete: true, evaluationError: "node authorizer does not support user rule resolution" }

/**
 * Returns the authorizer of nodes (users `system:node:<name>` in system:nodes). A node reads what its pods need and writes what is its own; everything
 * else that nodes may do is the rules of the ClusterRole system:node. It never denies: a binding may allow more.
 */
export function nodeAuthorizer(graph: NodeRequest["graph"], enabledVersions: readonly string[] = []): Authorizer {
  const rules = lazy(() => nodeRules(enabledVersions))
  return {
    authorize(who, what) {
      const node = nodeNameOf(who)
      if (node === undefined) return noOpinion
      if (node === "") return refused(`unknown node for user ${quoted(who.name)}`)
      const decide = isResource(what) ? decisions[`${what.group}/${what.resource}`] : undefined
      if (decide !== undefined) return decide({ node, what: what as ResourceAttributes, graph, enabledVersions })
      return rules().some((rule) => ruleAllows(rule, what)) ? allowed : noOpinion
    },
    rules: (who) => (nodeNameOf(who) === undefined ? noRules : unlisted),
  }
}

/** By group and resource: those where one node may do less than another. */
const decisions: Readonly<Record<string, (request: NodeRequest) => Decision | Promise<Decision>>> = {
  "/secrets": readOfPods,
  "/configmaps": readOfPods,
  "/persistentvolumeclaims": (request) => (request.what.subresource === "status" ? writeStatus(request) : getRelated(request)),
  "/persistentvolumes": getRelated,
  "resource.k8s.io/resourceclaims": getRelated,
  "storage.k8s.io/volumeattachments": getRelated,
  "/serviceaccounts": (request) =>
    request.what.verb === "get" && request.what.subresource === "" ? readOfPods(request) : createToken(request),
  "coordination.k8s.io/leases": ownLease,
  "storage.k8s.io/csinodes": ownCsiNode,
  "resource.k8s.io/resourceslices": ownSlices,
  "/nodes": ownNode,
  "/pods": ownPods,
  "certificates.k8s.io/podcertificaterequests": ownPodCertificates,
}

function related({ node, what: { resource, namespace, name }, graph }: NodeRequest): Decision | Promise<Decision> {
  const decision = (isRelated: boolean) => (isRelated ? allowed : refused(`no relationship found between node '${node}' and this object`))
  const found = graph().leadsTo(node, resource, namespace, name)
  return typeof found === "boolean" ? decision(found) : found.then(decision)
}

function relatedByName(request: NodeRequest): Decision | Promise<Decision> {
  return request.what.name === "" ? refused("No Object name found") : related(request)
}

function readOfPods(request: NodeRequest): Decision | Promise<Decision> {
  const { verb, subresource, namespace } = request.what
  if (!["get", "list", "watch"].includes(verb)) return refused("can only read resources of this type")
  if (subresource !== "") return refused("cannot read subresource")
  if (namespace === "") return refused("can only read namespaced object of this type")
  return relatedByName(request)
}

function getRelated(request: NodeRequest): Decision | Promise<Decision> {
  if (request.what.verb !== "get") return refused("can only get individual resources of this type")
  if (request.what.subresource !== "") return refused("cannot get subresource")
  return relatedByName(request)
}

function writeStatus(request: NodeRequest): Decision | Promise<Decision> {
  const { verb } = request.what
  return verb === "update" || verb === "patch" ? relatedByName(request) : refused("can only get/update/patch this type")
}

function createToken(request: NodeRequest): Decision | Promise<Decision> {
  const { verb, name, subresource } = request.what
  if (verb !== "create" || name === "") return refused("can only create tokens for individual service accounts")
  return subresource === "token" ? related(request) : refused("can only create token subresource of serviceaccount")
}

const objectVerbs: readonly string[] = ["get", "create", "update", "patch", "delete"]

/** Admission checks the name of one that is created: the request does not say it. */
function ownLease({ node, what: { verb, namespace, name } }: NodeRequest): Decision {
  if (!objectVerbs.includes(verb)) return refused("can only get, create, update, patch, or delete a node lease")
  if (namespace !== "kube-node-lease") return refused('can only access leases in the "kube-node-lease" system namespace')
  if (verb === "create" || name === node) return allowed
  return refused("can only access node lease with the same name as the requesting node")
}

function ownCsiNode({ node, what: { verb, subresource, name } }: NodeRequest): Decision {
  if (!objectVerbs.includes(verb)) return refused("can only get, create, update, patch, or delete a CSINode")
  if (subresource !== "") return refused("cannot authorize CSINode subresources")
  if (verb === "create" || name === node) return allowed
  return refused("can only access CSINode with the same name as the requesting node")
}

const sliceVerbs = "get, watch, list, create, update, patch, delete, deletecollection"

function ownSlices(request: NodeRequest): Decision | Promise<Decision> {
  const { verb, subresource } = request.what
  if (subresource !== "") return refused("cannot authorize ResourceSlice subresources")
  if (verb === "create") return allowed
  if (["get", "update", "patch", "delete"].includes(verb)) return relatedByName(request)
  if (!sliceVerbs.split(", ").includes(verb)) return refused(`only the following verbs are allowed for a ResourceSlice: ${sliceVerbs}`)
  if (selectsOwn(request)) return allowed
  return refused("can only list/watch/deletecollection resourceslices with nodeName field selector")
}

function selectsOwn({ node, what: { selectors } }: NodeRequest): boolean {
  return selectors?.fields.some(({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node) === true
}

/** Of writes admission checks that they are of the node itself. It may read itself before it exists. */
function ownNode({ node, what: { verb, subresource, name } }: NodeRequest): Decision {
  if (["update", "patch"].includes(verb) && (subresource === "" || subresource === "status")) return allowed
  if (subresource !== "") return noOpinion
  if (verb === "create") return allowed
  if (!["get", "list", "watch"].includes(verb)) return noOpinion
  if (name === node) return allowed
  return refused(`node '${node}' cannot read ${name === "" ? "all nodes" : `'${name}'`}, only its own Node object`)
}

/** Of writes admission checks that the pods are bound to the node, and that it creates mirror pods only. */
function ownPods(request: NodeRequest): Decision | Promise<Decision> {
  const { verb, subresource, name } = request.what
  const right = `${verb} ${subresource}`
  if (["create ", "delete ", "update status", "patch status", "create eviction"].includes(right)) return allowed
  if (right === "get ") return getRelated(request)
  if (right !== "list " && right !== "watch ") return noOpinion
  if (selectsOwn(request)) return allowed
  return name === "" ? refused("can only list/watch pods with spec.nodeName field selector") : related(request)
}

/** Of new ones admission checks that they are for pods of the node. Where they are not served no request for them is decided. */
function ownPodCertificates(request: NodeRequest): Decision | Promise<Decision> {
  const { verb, subresource } = request.what
  if (!request.enabledVersions.includes(apiVersionOf(podCertificateRequests))) return noOpinion
  if (subresource !== "") return refused("nodes may not access the status subresource of PodCertificateRequests")
  if (verb === "create") return allowed
  if (verb === "get") return relatedByName(request)
  if (verb !== "list" && verb !== "watch") return refused(`nodes may not ${verb} podcertificaterequests`)
  return selectsOwn(request) ? allowed : refused("can only list/watch podcertificaterequests with nodeName field selector")
}
