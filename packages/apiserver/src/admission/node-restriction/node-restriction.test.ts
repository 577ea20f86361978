import {
  type Asked,
  create,
  type Given,
  other,
  own,
  pod,
  type Row,
  remove,
  testWrites,
  unbound,
  update,
} from "./testing/writes-of-nodes.ts"

const token = (name: string | undefined, more: { uid?: string; audiences?: readonly string[] } = {}) => {
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid: more.uid ?? `${name}-uid` }
  const spec = { ...(name !== undefined && { boundObjectRef }), audiences: more.audiences ?? [] }
  return create("serviceaccounts/token", { metadata: {}, spec }, { name: "account" })
}
const vault = (name: string) => token(name, { audiences: ["vault"] })
const unnamed = (audience: string) =>
  `audience "${audience}" not found in pod spec volume, system:node:mynode is not authorized to request tokens for this audience`
const tokenRows: readonly Row[] = [
  ["a token that is bound to nothing", token(undefined), "node requested token not bound to a pod"],
  ["a token of a pod that does not exist", token("unknown"), 'pod "unknown" not found'],
  ["a token without the uid of its pod", token("mypod", { uid: "" }), "node requested token with a pod binding without a uid"],
  [
    "a token of a pod that was deleted and created again",
    token("mypod", { uid: "old" }),
    "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
  ],
  ["a token of a pod on another node", token("otherpod"), "node requested token bound to a pod scheduled on a different node"],
  ["a token of its own pod", token("mypod")],
  ["an audience that the pod names", vault("audience")],
  ["several audiences", token("audience", { audiences: ["vault", "b"] }), "node may only request 0 or 1 audiences"],
  ["an audience that the pod does not name", token("audience", { audiences: ["b"] }), unnamed("b")],
  ["an audience that a binding allows", token("audience", { audiences: ["granted"] })],
  ["an audience of a CSI driver", vault("csi")],
  ["another audience than that of the CSI driver", token("csi", { audiences: ["b"] }), unnamed("b")],
  [
    "a CSI driver that does not exist",
    vault("nodriver"),
    'error validating audience "vault": csidriver.storage.k8s.io "missing" not found',
  ],
  ["an audience of the driver of a claim's volume", vault("claim")],
  ["another audience than that of the claim's", token("claim", { audiences: ["b"] }), unnamed("b")],
  ["a claim that does not exist", vault("noclaim"), 'error validating audience "vault": persistentvolumeclaim "missing" not found'],
  ["a volume that does not exist", vault("novolume"), 'error validating audience "vault": persistentvolume "missing" not found'],
  ["an audience of the driver of an ephemeral volume", vault("ephemeral")],
  ["an audience of the driver that a volume has moved to", vault("intree")],
  ["an audience of the driver that an inline volume has moved to", vault("inline")],
]

const otherLease = "can only access node lease with the same name as the requesting node"
const otherPlace = 'can only access leases in the "kube-node-lease" system namespace'
const otherCsi = "can only access CSINode with the same name as the requesting node"
const named = (name: string) => ({ metadata: { name } })
const writes = (resource: string, name: string, more: Partial<Asked>, refused?: string): readonly Row[] => [
  [`create of ${resource} ${name} ${more.namespace}`, create(resource, named(name), more), refused],
  [`update of ${resource} ${name} ${more.namespace}`, update(resource, named(name), named(name), more), refused],
  [`delete of ${resource} ${name} ${more.namespace}`, remove(resource, named(name), more), refused],
]
const slice = (nodeName?: string) => ({ metadata: { name: "slice" }, spec: { nodeName } })
const objectRows: readonly Row[] = [
  ...writes("leases", own, { namespace: "foo" }, otherPlace),
  ...writes("leases", other, { namespace: "kube-node-lease" }, otherLease),
  ...writes("leases", own, { namespace: "kube-node-lease" }),
  ...writes("csinodes", other, {}, otherCsi),
  ...writes("csinodes", own, {}),
  ["a slice of its own", create("resourceslices", slice(own))],
  [
    "a slice of another node",
    create("resourceslices", slice(other)),
    "can only create ResourceSlice with the same NodeName as the requesting node",
  ],
  ["a slice of no node", create("resourceslices", slice()), "can only create ResourceSlice with the same NodeName as the requesting node"],
  ["delete of its own slice", remove("resourceslices", slice(own))],
  [
    "delete of the slice of another node",
    remove("resourceslices", slice(other)),
    "can only delete ResourceSlice with the same NodeName as the requesting node",
  ],
  ["update of a slice, which the authorizer decides on", update("resourceslices", slice(other), slice(other))],
  ["an object of no concern", create("configmaps", named("c"))],
]

const claim = (status: Given, more: Given = {}) => ({
  metadata: { name: "data", resourceVersion: "1" },
  spec: { volumeName: "pv" },
  status,
  ...more,
})
const onlyStatus = 'node "mynode" is not allowed to update fields other than status.quantity and status.conditions'
const claimRows: readonly Row[] = [
  ["a claim", update("persistentvolumeclaims", claim({}), claim({})), "may only update PVC status"],
  [
    "the size and conditions of a claim",
    update("persistentvolumeclaims/status", claim({ capacity: { storage: "2Gi" }, conditions: [{}] }), claim({})),
  ],
  [
    "what was allocated for a claim",
    update(
      "persistentvolumeclaims/status",
      claim({ allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage: "x" } }),
      claim({}),
    ),
  ],
  [
    "the phase of a claim",
    update("persistentvolumeclaims/status", claim({ phase: "Lost" }), claim({ phase: "Bound" })),
    `${onlyStatus}: status.phase`,
  ],
  [
    "labels and spec of a claim",
    update(
      "persistentvolumeclaims/status",
      claim({}, { metadata: { name: "data", labels: { a: "b" } }, spec: { volumeName: "b" } }),
      claim({}),
    ),
    `${onlyStatus}: metadata.labels, spec.volumeName`,
  ],
  ["create of the status of a claim", create("persistentvolumeclaims/status", claim({})), 'unexpected operation "CREATE"'],
]

const userRows: readonly Row[] = [
  ["a pod of a user that is no node", create("pods", pod("unboundpod", unbound), { user: "bob" })],
  ["an update of such a user", update("pods", pod("unboundpod", unbound), pod("unboundpod", unbound), { user: "bob" })],
  ["a delete of such a user", remove("pods", pod("unboundpod", unbound), { user: "bob" })],
  ["a status of such a user", update("pods/status", pod("unboundpod", unbound), pod("unboundpod", unbound), { user: "bob" })],
  [
    "a node without a name",
    create("configmaps", named("c"), { user: "system:node:" }),
    'could not determine node from user "system:node:"',
  ],
]

testWrites([tokenRows, objectRows, claimRows, userRows].flat())
