import {
  boundCreate,
  boundDelete,
  boundEvict,
  boundStatus,
  create,
  evict,
  type Given,
  mirrorPod,
  noMirror,
  onlyMirror,
  other,
  own,
  owner,
  pod,
  type Row,
  remove,
  testWrites,
  unbound,
  update,
} from "./testing/writes-of-nodes.ts"

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

testWrites([podRows, referenceRows, ownerRows, statusRows].flat())
