import { create, type Given, other, own, owner, type Row, remove, testWrites, update } from "./testing/writes-of-nodes.ts"

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

testWrites(nodeRows)
