import { type KubeObject, StatusError } from "@pilothouse/api"
import { expect, test } from "vitest"
import type { Authorizer } from "../../authorization/authorizer.ts"
import { noRules } from "../../authorization/authorizer.ts"
import { CustomResources } from "../../customresources/custom-resources.ts"
import { createRegistry } from "../../registry/registry.ts"
import { memoryStorage } from "../../storage/memory.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { nodeRestriction } from "./node-restriction.ts"

type Given = Readonly<Record<string, unknown>>
type Operation = "CREATE" | "UPDATE" | "DELETE"

const mirror = { "kubernetes.io/config.mirror": "true" }
const owner = { apiVersion: "v1", kind: "Node", name: "mynode", uid: "mynode-uid", controller: true }

/** A pod of namespace ns; `spec.nodeName` is left out where the node is "". */
function pod(name: string, node: string, more: { metadata?: Given; spec?: Given; status?: Given } = {}): KubeObject {
  const uid = `${name}-uid`
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "ns", uid, ...more.metadata },
    spec: { ...(node !== "" && { nodeName: node }), ...more.spec },
    ...(more.status && { status: more.status }),
  } as KubeObject
}
const mirrorPod = (name: string, node: string, more: { metadata?: Given; spec?: Given } = {}) =>
  pod(name, node, { spec: more.spec, metadata: { annotations: mirror, ownerReferences: [owner], ...more.metadata } })

const audiences = (...names: readonly string[]) => ({
  volumes: [{ name: "t", projected: { sources: names.map((audience) => ({ serviceAccountToken: { audience, path: "t" } })) } }],
})
const claimed = (claimName: string) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] })
const stored: readonly (readonly [string, KubeObject])[] = [
  ["nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "mynode", uid: "mynode-uid" } }],
  ...[
    mirrorPod("mymirror", "mynode"),
    mirrorPod("othermirror", "othernode"),
    mirrorPod("unboundmirror", ""),
    pod("mypod", "mynode", { spec: audiences("") }),
    pod("otherpod", "othernode"),
    pod("unboundpod", ""),
    pod("audience", "mynode", { spec: audiences("vault") }),
    pod("csi", "mynode", { spec: { volumes: [{ name: "v", csi: { driver: "driver" } }] } }),
    pod("nodriver", "mynode", { spec: { volumes: [{ name: "v", csi: { driver: "missing" } }] } }),
    pod("claim", "mynode", { spec: claimed("data") }),
    pod("noclaim", "mynode", { spec: claimed("missing") }),
    pod("novolume", "mynode", { spec: claimed("unbound") }),
    pod("ephemeral", "mynode", { spec: { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] } }),
    pod("intree", "mynode", { spec: claimed("disk") }),
    pod("inline", "mynode", { spec: { volumes: [{ name: "v", azureFile: { secretName: "s", shareName: "s" } }] } }),
  ].map((one) => ["pods", one] as const),
  ...Object.entries({ data: "pv", unbound: "missing", "ephemeral-v": "pv", disk: "disk" }).map(
    ([name, volumeName]) =>
      ["persistentvolumeclaims", { metadata: { name, namespace: "ns" }, spec: { volumeName } } as unknown as KubeObject] as const,
  ),
  ["persistentvolumes", { metadata: { name: "pv" }, spec: { csi: { driver: "driver" } } } as unknown as KubeObject],
  ["persistentvolumes", { metadata: { name: "disk" }, spec: { azureDisk: { diskName: "d", diskURI: "d" } } } as unknown as KubeObject],
  ...["driver", "disk.csi.azure.com", "file.csi.azure.com"].map(
    (name) => ["csidrivers", { metadata: { name }, spec: { tokenRequests: [{ audience: "vault" }] } } as unknown as KubeObject] as const,
  ),
]

const groups: Readonly<Record<string, string>> = {
  csidrivers: "storage.k8s.io",
  csinodes: "storage.k8s.io",
  leases: "coordination.k8s.io",
  resourceslices: "resource.k8s.io",
}

interface Asked {
  readonly operation: Operation
  /** "pods/status". */
  readonly resource: string
  readonly name?: string
  readonly namespace?: string
  readonly object?: unknown
  readonly old?: unknown
  readonly user?: string
}

const clusterScoped: readonly string[] = ["nodes", "csinodes", "resourceslices"]

async function storedServer() {
  const storage = memoryStorage({})
  const registry = createRegistry({ customResources: new CustomResources(storage) })
  const resourceOf = (plural: string) => registry.resource(groups[plural] ?? "", "v1", plural)!
  await storage.commit(
    stored.map(([plural, value]) => {
      const { namespace: place, name: own } = value.metadata
      return { key: `${resourceOf(plural).stored.prefix}${place === undefined ? "" : `${place}/`}${own}`, make: () => value }
    }),
  )
  const authorizer: Authorizer = {
    authorize: (_who, what) => ({ allowed: "resource" in what && what.resource === "granted" && what.name === "account" }),
    rules: () => noRules,
  }
  return { server: { storage, registry, authorizer }, resourceOf }
}

/** Decides on a write of mynode, and returns the refusal; undefined where it is admitted. */
async function decide({ resource: path, user = "system:node:mynode", ...asked }: Asked): Promise<string | undefined> {
  const { server, resourceOf } = await storedServer()
  const [plural = "", subresource = ""] = path.split("/")
  const named = (asked.object ?? asked.old) as KubeObject | undefined
  const identity = { name: user, groups: ["system:nodes"] }
  const place = clusterScoped.includes(plural) ? undefined : "ns"
  const about = { name: named?.metadata.name ?? "", namespace: place, ...asked }
  const attributes = { server, identity, resource: resourceOf(plural), subresource, ...about } as unknown as AdmissionAttributes
  try {
    await nodeRestriction.admit?.(attributes)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError)
    return (error as StatusError).message
  }
}

type Row = readonly [title: string, asked: Asked, refused?: string]

const create = (resource: string, object: unknown, more: Partial<Asked> = {}): Asked => ({ operation: "CREATE", resource, object, ...more })
const update = (resource: string, object: unknown, old: unknown, more: Partial<Asked> = {}): Asked => ({
  operation: "UPDATE",
  resource,
  object,
  old,
  ...more,
})
const remove = (resource: string, old: unknown, more: Partial<Asked> = {}): Asked => ({ operation: "DELETE", resource, old, ...more })
const evict = (name: string, more: Partial<Asked> = {}) => create("pods/eviction", { metadata: { name } }, more)

const [own, other, unbound] = ["mynode", "othernode", ""]
const onlyMirror = (operation: string) => `unexpected operation "${operation}", node "mynode" can only create and delete mirror pods`
const noMirror = 'pod does not have "kubernetes.io/config.mirror" annotation, node "mynode" can only create mirror pods'
const boundCreate = 'node "mynode" can only create pods with spec.nodeName set to itself'
const boundDelete = 'node "mynode" can only delete pods with spec.nodeName set to itself'
const boundStatus = 'node "mynode" can only update pod status for pods with spec.nodeName set to itself'
const boundEvict = "node mynode can only evict pods with spec.nodeName set to itself"

/** The same writes of a pod by where it is bound, as mirror pod and as one of the API. */
const podRows: readonly Row[] = (
  [
    ["mymirror", true, own],
    ["othermirror", true, other],
    ["unboundmirror", true, unbound],
    ["mypod", false, own],
    ["otherpod", false, other],
    ["unboundpod", false, unbound],
  ] as const
).flatMap(([name, isMirror, node]): readonly Row[] => {
  const made = isMirror ? mirrorPod(name, node) : pod(name, node)
  const isOwn = node === own
  return [
    [`create of ${name}`, create("pods", made), isMirror ? (isOwn ? undefined : boundCreate) : noMirror],
    [`update of ${name}`, update("pods", made, made), onlyMirror("UPDATE")],
    [`delete of ${name}`, remove("pods", made), isOwn ? undefined : boundDelete],
    [`create of the status of ${name}`, create("pods/status", made), 'unexpected operation "CREATE"'],
    [`update of the status of ${name}`, update("pods/status", made, made), isOwn ? undefined : boundStatus],
    [`delete of the status of ${name}`, remove("pods/status", made), 'unexpected operation "DELETE"'],
    [`eviction of ${name}`, evict(name), isOwn ? undefined : boundEvict],
    [`eviction of ${name} by the name in the object`, evict(name, { name: "" }), isOwn ? undefined : boundEvict],
    [`delete by the eviction of ${name}`, remove("pods/eviction", made), isOwn ? undefined : boundEvict],
  ]
})

const volume = (source: Given) => ({ spec: { volumes: [{ name: "v", ...source }] } })
const projected = (source: Given) => volume({ projected: { sources: [source] } })
const reference = (title: string, more: { spec: Given }, what: string): Row => [
  `a mirror pod that refers to ${title}`,
  create("pods", mirrorPod("mymirror", own, more)),
  `node "mynode" can not create pods that reference ${what}`,
]

const referenceRows: readonly Row[] = [
  reference("a service account", { spec: { serviceAccountName: "foo" } }, "serviceaccounts"),
  reference("a Secret", volume({ secret: { secretName: "s" } }), "secrets"),
  reference("a ConfigMap", volume({ configMap: { name: "c" } }), "configmaps"),
  reference("a ConfigMap in its environment", { spec: { containers: [{ envFrom: [{ configMapRef: { name: "c" } }] }] } }, "configmaps"),
  reference("a claim of devices", { spec: { resourceClaims: [{ name: "d", resourceClaimName: "d" }] } }, "resourceclaims"),
  reference("a CSI driver", volume({ csi: { driver: "d" } }), "csidrivers (via CSI volumes)"),
  reference("Endpoints", volume({ glusterfs: { endpoints: "e", path: "p" } }), "endpoints (via glusterFS volumes)"),
  reference("a claim", volume({ persistentVolumeClaim: { claimName: "c" } }), "persistentvolumeclaims"),
  reference("a claim of its own", volume({ ephemeral: {} }), "persistentvolumeclaims (via ephemeral volumes)"),
  reference("a token", projected({ serviceAccountToken: { path: "t" } }), "serviceaccounts (via projected volumes)"),
  reference("a trust bundle", projected({ clusterTrustBundle: { path: "t" } }), "clustertrustbundles"),
  reference("a certificate", projected({ podCertificate: {} }), "podcertificates"),
  ["a mirror pod with files of its host", create("pods", mirrorPod("mymirror", own, volume({ hostPath: { path: "/" } })))],
  ["a mirror pod with fields of its own", create("pods", mirrorPod("mymirror", own, projected({ downwardAPI: {} })))],
]

const ownedBy = (...ownerReferences: readonly Given[]) => create("pods", mirrorPod("mymirror", own, { metadata: { ownerReferences } }))
const withOwner = 'node "mynode" can only create pods with an owner reference set to itself'
const ownerRows: readonly Row[] = [
  ["a mirror pod without an owner", ownedBy(), withOwner],
  ["a mirror pod of two owners", ownedBy(owner, owner), 'node "mynode" can only create pods with a single owner reference set to itself'],
  ["a mirror pod of another node", ownedBy({ ...owner, name: "othernode" }), withOwner],
  ["a mirror pod of another uid", ownedBy({ ...owner, uid: "other" }), "node mynode UID mismatch: expected other got mynode-uid"],
  ["a mirror pod of another version", ownedBy({ ...owner, apiVersion: "v2" }), withOwner],
  ["a mirror pod of another kind", ownedBy({ ...owner, kind: "Pod" }), withOwner],
  [
    "a mirror pod without a controller",
    ownedBy({ ...owner, controller: undefined }),
    'node "mynode" can only create pods with a controller owner reference set to itself',
  ],
  [
    "a mirror pod whose owner does not control it",
    ownedBy({ ...owner, controller: false }),
    'node "mynode" can only create pods with a controller owner reference set to itself',
  ],
  [
    "a mirror pod that keeps its node from going",
    ownedBy({ ...owner, blockOwnerDeletion: true }),
    'node "mynode" must not set blockOwnerDeletion on an owner reference',
  ],
  [
    "a mirror pod of a node that does not exist",
    create("pods", mirrorPod("m", "ghost", { metadata: { ownerReferences: [{ ...owner, name: "ghost" }] } }), {
      user: "system:node:ghost",
    }),
    'node "ghost" not found',
  ],
]

const labelled = (labels?: Given) => pod("mypod", own, { metadata: labels && { labels } })
const noLabels = 'node "mynode" cannot update labels through pod status'
const statusRows: readonly Row[] = [
  ["status that adds labels", update("pods/status", labelled({ a: "1", b: "2" }), labelled({ a: "1" })), noLabels],
  ["status that removes a label", update("pods/status", labelled({ a: "1" }), labelled({ a: "1", b: "2" })), noLabels],
  ["status that removes all labels", update("pods/status", labelled(), labelled({ a: "1" })), noLabels],
  ["status that adds the first label", update("pods/status", labelled({ a: "1" }), labelled()), noLabels],
  [
    "status that adds a claim",
    update("pods/status", pod("mypod", own, { status: { resourceClaimStatuses: [{ name: "a" }] } }), pod("mypod", own)),
    'node "mynode" cannot update resource claim statues',
  ],
  [
    "status that changes the extended claim",
    update("pods/status", pod("mypod", own, { status: { extendedResourceClaimStatus: { resourceClaimName: "a" } } }), pod("mypod", own)),
    'node "mynode" cannot update extended resource claim status',
  ],
  ["delete of a pod that does not exist", remove("pods", undefined, { name: "unknown" }), 'pod "unknown" not found'],
  ["eviction of a pod that does not exist", evict("unknown"), 'pod "unknown" not found'],
  ["eviction that names no pod", create("pods/eviction", { metadata: {} }), "could not determine pod from request data"],
  [
    "a log",
    update("pods/log", pod("mypod", own), pod("mypod", own)),
    "unexpected pod subresource \"log\", only 'status' and 'eviction' are allowed",
  ],
]

const node = (more: { metadata?: Given; spec?: Given } = {}, name = own) => ({ metadata: { name, ...more.metadata }, spec: more.spec })
const withLabels = (...keys: readonly string[]) => node({ metadata: { labels: Object.fromEntries(keys.map((key) => [key, "v"])) } })
const tainted = (key: string) => node({ spec: { taints: [{ key, effect: "NoSchedule" }] } })
const configured = (name: string) => node({ spec: { configSource: { configMap: { name } } } })
const owned = (uid: string) => node({ metadata: { ownerReferences: [{ ...owner, uid }] } })
const allowedLabels = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "kubelet.kubernetes.io/foo",
  "foo.kubelet.kubernetes.io/foo",
  "node.kubernetes.io/foo",
  "foo.node.kubernetes.io/foo",
  "other/label",
  "label",
]
const forbiddenLabels = [
  "node-restriction.kubernetes.io/foo",
  "foo.node-restriction.kubernetes.io/foo",
  "kubernetes.io/unknown",
  "foo.kubernetes.io/foo",
  "k8s.io/unknown",
  "foo.k8s.io/foo",
]
const listed = [...forbiddenLabels].sort().join(", ")
const modify = (what: string) => `node "mynode" is not allowed to modify ${what}`
const newSource = 'node "mynode" is not allowed to update configSource to a new non-nil configSource'
const labelsText = `is not allowed to modify labels: ${listed}`
const notOwn = (name: string) => `node "mynode" is not allowed to modify node "${name}"`

const nodeRows: readonly Row[] = [
  ["create of itself", create("nodes", node())],
  ["create of itself with taints", create("nodes", tainted("a"))],
  ["create of itself with labels of kubelets", create("nodes", withLabels(...allowedLabels))],
  [
    "create of itself with other labels",
    create("nodes", withLabels(...allowedLabels, ...forbiddenLabels)),
    `node "mynode" is not allowed to set the following labels: ${listed}`,
  ],
  ["update of itself", update("nodes", node(), node())],
  ["delete of itself", remove("nodes", node())],
  ["update of its status", update("nodes/status", node(), node())],
  ["create with a source", create("nodes", configured("a")), 'node "mynode" is not allowed to create pods with a non-nil configSource'],
  ["a first source", update("nodes", configured("a"), node()), newSource],
  ["another source", update("nodes", configured("b"), configured("a")), newSource],
  ["the same source", update("nodes", configured("a"), configured("a"))],
  ["no source any more", update("nodes", node(), configured("a"))],
  ["the same taints", update("nodes", tainted("a"), tainted("a"))],
  ["labels of kubelets", update("nodes", withLabels(...allowedLabels), node())],
  ["labels of kubelets that go", update("nodes", node(), withLabels(...allowedLabels))],
  ["the same labels", update("nodes", withLabels(...forbiddenLabels), withLabels(...forbiddenLabels))],
  [
    "labels beside others that stay",
    update("nodes", withLabels(...forbiddenLabels, "a"), withLabels(...forbiddenLabels, "kubernetes.io/os")),
  ],
  ["new taints", update("nodes", tainted("a"), node()), modify("taints")],
  ["taints that go", update("nodes", node(), tainted("a")), modify("taints")],
  ["other taints", update("nodes", tainted("b"), tainted("a")), modify("taints")],
  ["other labels", update("nodes", withLabels(...forbiddenLabels), node()), labelsText],
  ["other labels that go", update("nodes", node(), withLabels(...forbiddenLabels)), labelsText],
  ["an owner", update("nodes", owned("1"), node()), modify("ownerReferences")],
  ["an owner that goes", update("nodes", node(), owned("1")), modify("ownerReferences")],
  ["another owner", update("nodes", owned("2"), owned("1")), modify("ownerReferences")],
  ["create of another node", create("nodes", node({}, other)), notOwn(other)],
  ["create of a node without a name", create("nodes", { metadata: { generateName: "n" } }), notOwn("")],
  ["update of another node", update("nodes", node({}, other), node({}, other)), notOwn(other)],
  ["delete of another node", remove("nodes", node({}, other)), notOwn(other)],
  ["status of another node", update("nodes/status", node({}, other), node({}, other)), notOwn(other)],
]

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

const rows: readonly Row[] = [podRows, referenceRows, ownerRows, statusRows, nodeRows, tokenRows, objectRows, claimRows, userRows].flat()

test.each(rows.map(([title, asked, refused]) => ({ title, asked, refused })))("$title", async ({ asked, refused }) => {
  const message = await decide(asked)
  if (refused === undefined) expect(message).toBeUndefined()
  else
    expect(message).toMatch(
      refused.endsWith("not found") && !refused.startsWith("error") ? refused : new RegExp(`is forbidden: ${escaped(refused)}$`),
    )
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
