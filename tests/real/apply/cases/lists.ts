import { type Step, subject } from "../step.ts"

const pod = subject("/api/v1/namespaces/default/pods", "lists")
const template = subject("/api/v1/namespaces/default/podtemplates", "lists")
const account = subject("/api/v1/namespaces/default/serviceaccounts", "lists")
const role = subject("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", "lists")
const ingress = subject("/apis/networking.k8s.io/v1/namespaces/default/ingresses", "lists")
const slice = subject("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "lists")

function pt(spec: object): object {
  return { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "lists" }, template: { spec } }
}

const container = (change: object) => pt({ containers: [{ name: "c", image: "i", ...change }] })
const owner = (number: number, change: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `n${number}`,
  uid: `00000000-0000-4000-8000-00000000000${number}`,
  ...change,
})

export const lists: readonly Step[] = [
  template.apply(
    "create with keyed lists",
    container({
      env: [
        { name: "B", value: "1" },
        { name: "A", value: "1" },
      ],
      ports: [{ containerPort: 80 }],
    }),
  ),
  template.apply(
    "another order of a keyed list",
    container({
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "1" },
      ],
    }),
  ),
  template.apply(
    "another applier inserts",
    container({
      env: [
        { name: "A", value: "1" },
        { name: "X", value: "1" },
        { name: "B", value: "1" },
      ],
    }),
    { manager: "m2" },
  ),
  template.apply("another applier puts one first", container({ env: [{ name: "Y" }, { name: "A", value: "1" }] }), { manager: "m3" }),
  template.apply("an applier with items of its own only", container({ env: [{ name: "Z" }] }), { manager: "m4" }),
  template.apply("the first drops all", container({})),
  template.apply("an atomic list", container({ args: ["a", "b"] })),
  template.apply("an atomic list of another applier", container({ args: ["b"] }), { manager: "m2" }),
  template.force("an atomic list by force", container({ args: ["b"] }), { manager: "m2" }),
  template.apply("an empty keyed list", container({ env: [] })),
  template.apply("an empty atomic list", container({ command: [] })),
  template.apply("a keyed list of null", container({ env: null })),
  template.apply(
    "volumes",
    pt({
      containers: [{ name: "c" }],
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "w", configMap: { name: "a", items: [{ key: "k", path: "p" }] } },
      ],
    }),
  ),
  template.apply("another source of a volume", pt({ containers: [{ name: "c" }], volumes: [{ name: "v", secret: { secretName: "s" } }] }), {
    manager: "m5",
  }),
  template.apply(
    "volume mounts",
    container({
      volumeMounts: [
        { name: "v", mountPath: "/a" },
        { name: "v", mountPath: "/b", readOnly: true },
      ],
    }),
  ),
  template.apply("ports of one number", container({ ports: [{ containerPort: 53, protocol: "UDP" }, { containerPort: 53 }] })),
  template.apply("tolerations, which are atomic", pt({ containers: [{ name: "c" }], tolerations: [{ key: "a", operator: "Exists" }] }), {
    manager: "m6",
  }),
  template.apply("host aliases", pt({ containers: [{ name: "c" }], hostAliases: [{ ip: "1.2.3.4", hostnames: ["a"] }] }), {
    manager: "m6",
  }),
  template.apply(
    "pull secrets, keyed by a name that has a default",
    pt({ containers: [{ name: "c" }], imagePullSecrets: [{}, { name: "a" }] }),
    { manager: "m6" },
  ),
  template.apply(
    "spread constraints of two keys",
    pt({
      containers: [{ name: "c" }],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
    }),
    { manager: "m6" },
  ),
  template.apply("resources", container({ resources: { limits: { cpu: "1", memory: "1Gi" } } }), {
    manager: "m7",
  }),
  template.apply("an equal quantity", container({ resources: { limits: { cpu: "1000m" } } }), { manager: "m8" }),
  template.apply("a probe", container({ livenessProbe: { httpGet: { port: "http" } } }), { manager: "m8" }),
  template.update(
    "update with duplicates in a keyed list",
    container({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    }),
    { manager: "updater" },
  ),
  template.update(
    "update of the duplicates",
    container({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "3" },
      ],
    }),
    { manager: "updater2" },
  ),
  template.apply("apply of one of the duplicates", container({ env: [{ name: "A", value: "1" }] }), { manager: "m9" }),
  template.force("forced apply of one of the duplicates", container({ env: [{ name: "A", value: "1" }] }), { manager: "m9" }),
  template.update("duplicates again", container({ env: [{ name: "A", value: "1" }, { name: "A", value: "2" }, { name: "B" }] }), {
    manager: "updater",
  }),
  template.update("from duplicates to one", container({ env: [{ name: "A", value: "1" }, { name: "B" }] }), { manager: "updater3" }),
  template.apply("apply beside it", container({ env: [{ name: "B", value: "x" }] }), { manager: "m9" }),

  account.apply("imagePullSecrets and secrets", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "lists" },
    imagePullSecrets: [{ name: "a" }],
    secrets: [{ name: "s" }, { name: "t" }],
  }),
  account.apply(
    "other imagePullSecrets and secrets",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "lists" }, imagePullSecrets: [{ name: "b" }], secrets: [{ name: "u" }] },
    { manager: "m2" },
  ),
  account.apply(
    "owners",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "lists", ownerReferences: [owner(1), owner(2)] } },
    { manager: "m3" },
  ),
  account.apply(
    "another owner",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "lists", ownerReferences: [owner(3, { controller: true })] } },
    { manager: "m4" },
  ),
  account.apply(
    "the same owner otherwise",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "lists", ownerReferences: [owner(3)] } },
    { manager: "m5" },
  ),
  account.apply(
    "an owner twice",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "lists", ownerReferences: [owner(4), owner(4)] } },
    { manager: "m5" },
  ),
  account.merge("an update with an owner twice", { metadata: { ownerReferences: [owner(4), owner(4)] } }, { manager: "m6" }),
  account.create("a create with an owner twice", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "lists-b", ownerReferences: [owner(4), owner(4)] },
  }),

  role.apply("rules, which are atomic", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "lists" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  role.apply(
    "other rules",
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "lists" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
    },
    { manager: "m2" },
  ),
  role.apply(
    "the same rules",
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "lists" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    },
    { manager: "m2" },
  ),
  ingress.apply("an Ingress", {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "lists" },
    spec: {
      rules: [
        { host: "a.test", http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 80 } } } }] } },
      ],
      tls: [{ hosts: ["a.test"] }],
    },
  }),
  ingress
    .sub("status")
    .merge(
      "status of an Ingress",
      { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", ports: [{ port: 80, protocol: "TCP" }] }] } } },
      { manager: "controller" },
    ),
  slice.create("an EndpointSlice", {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "lists" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.2.0.1"], conditions: { ready: true } }],
    ports: [{ name: "http", port: 80 }],
  }),
  slice.apply(
    "apply of an EndpointSlice",
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "lists" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.2.0.2"] }],
    },
    { manager: "m2" },
  ),
  slice.force(
    "forced apply of an EndpointSlice",
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "lists" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.2.0.2"] }],
    },
    { manager: "m2" },
  ),

  pod.apply("a pod of an applier", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "lists" },
    spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] },
  }),
  pod.apply(
    "readiness gates",
    { apiVersion: "v1", kind: "Pod", metadata: { name: "lists" }, spec: { readinessGates: [{ conditionType: "a" }] } },
    { manager: "m2" },
  ),
]
