import { at, patch, post, put, type Row, remove } from "../row.ts"

const service = (name: string, spec: object): Row => post(name, at("services"), { metadata: { name: "bad" }, spec })
const port = { port: 80 }
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
const volumeClaim = (name: string, spec: object): Row => post(name, at("persistentvolumeclaims"), { metadata: { name: "bad" }, spec })
const volume = (name: string, spec: object): Row => post(name, at("persistentvolumes"), { metadata: { name: "bad" }, spec })
const disk = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } }
const scaler = (name: string, spec: object): Row =>
  post(name, at("autoscaling/horizontalpodautoscalers"), { metadata: { name: "bad" }, spec })
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
const binding = (name: string, part: object): Row => post(name, at("rbac/rolebindings"), { metadata: { name: "bad" }, ...part })
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" }

export const others: readonly Row[] = [
  service("a Service without ports", { selector: { a: "b" } }),
  service("a port of zero", { ports: [{ port: 0 }] }),
  service("a port too high", { ports: [{ port: 65536 }] }),
  service("an unknown protocol", { ports: [{ ...port, protocol: "ICMP" }] }),
  service("two ports without names", { ports: [port, { port: 81 }] }),
  service("two ports of one name", {
    ports: [
      { ...port, name: "a" },
      { port: 81, name: "a" },
    ],
  }),
  service("two ports of one number", {
    ports: [
      { ...port, name: "a" },
      { ...port, name: "b" },
    ],
  }),
  service("a bad port name", { ports: [{ ...port, name: "A_B" }] }),
  service("a bad target port", { ports: [{ ...port, targetPort: 70000 }] }),
  service("a target port with a bad name", { ports: [{ ...port, targetPort: "a--b" }] }),
  service("a Service of an unknown type", { type: "Magic", ports: [port] }),
  service("an unknown affinity", { sessionAffinity: "Forever", ports: [port] }),
  service("an address that is none", { clusterIP: "here", ports: [port] }),
  service("an address outside the range", { clusterIP: "192.0.2.7", ports: [port] }),
  service("an external name without one", { type: "ExternalName" }),
  service("an external name that is none", { type: "ExternalName", externalName: "-" }),
  service("a node port of a ClusterIP", { ports: [{ ...port, nodePort: 30080 }] }),
  service("a node port outside the range", { type: "NodePort", ports: [{ ...port, nodePort: 80 }] }),
  post("a node port to keep", at("services"), {
    metadata: { name: "keeps" },
    spec: { type: "NodePort", ports: [{ ...port, nodePort: 30005 }] },
  }),
  service("a node port of another Service, for another protocol", {
    type: "NodePort",
    ports: [{ ...port, nodePort: 30005, protocol: "UDP" }],
  }),
  service("a headless load balancer", { type: "LoadBalancer", clusterIP: "None", ports: [port] }),
  service("an unknown traffic policy", { type: "NodePort", externalTrafficPolicy: "Far", ports: [port] }),
  service("a traffic policy of a ClusterIP", { externalTrafficPolicy: "Local", ports: [port] }),
  service("an unknown address family", { ipFamilies: ["IPv7"], ports: [port] }),
  service("an external address that is none", { externalIPs: ["here"], ports: [port] }),
  service("a source range that is none", { type: "LoadBalancer", loadBalancerSourceRanges: ["here"], ports: [port] }),
  service("a bad selector", { selector: { "-": "a" }, ports: [port] }),
  post("a Service to work with", at("services"), { metadata: { name: "front" }, spec: { ports: [port] } }),
  patch("another address", at("services", "front"), "merge", { spec: { clusterIP: "10.0.77.77", clusterIPs: ["10.0.77.77"] } }),
  put("a Service without ports by PUT", at("services", "front"), { metadata: { name: "front" }, spec: {} }),
  post("a Secret of a bad key", at("secrets"), { metadata: { name: "bad" }, stringData: { "a b": "c" } }),
  post("a TLS Secret without a key", at("secrets"), { metadata: { name: "bad" }, type: "kubernetes.io/tls" }),
  post("a docker Secret without data", at("secrets"), { metadata: { name: "bad" }, type: "kubernetes.io/dockerconfigjson" }),
  post("a basic Secret without a user", at("secrets"), { metadata: { name: "bad" }, type: "kubernetes.io/basic-auth" }),
  post("an SSH Secret without a key", at("secrets"), { metadata: { name: "bad" }, type: "kubernetes.io/ssh-auth" }),
  post("a Secret to work with", at("secrets"), { metadata: { name: "fixed" }, immutable: true, stringData: { a: "b" } }),
  patch("a fixed Secret", at("secrets", "fixed"), "merge", { stringData: { a: "c" } }),
  patch("a fixed Secret let loose", at("secrets", "fixed"), "merge", { immutable: false }),
  patch("another type of a Secret", at("secrets", "fixed"), "merge", { type: "other" }),
  post("a ConfigMap of a bad key", at("configmaps"), { metadata: { name: "bad" }, data: { "a b": "c" } }),
  post("a ConfigMap with a key twice", at("configmaps"), { metadata: { name: "bad" }, data: { a: "c" }, binaryData: { a: "aGk=" } }),
  post("a ConfigMap that is too large", at("configmaps"), { metadata: { name: "bad" }, data: { a: "b".repeat(1048577) } }),
  volumeClaim("a claim without modes", { resources: claim.resources }),
  volumeClaim("a claim of an unknown mode", { ...claim, accessModes: ["Sometimes"] }),
  volumeClaim("a claim without a size", { accessModes: claim.accessModes }),
  volumeClaim("a claim of nothing", { ...claim, resources: { requests: { storage: "0" } } }),
  volumeClaim("a claim of a bad class", { ...claim, storageClassName: "A" }),
  volume("a volume without a capacity", { ...disk, capacity: undefined }),
  volume("a volume without modes", { ...disk, accessModes: undefined }),
  volume("a volume of no kind", { ...disk, hostPath: undefined }),
  volume("a volume of two kinds", { ...disk, nfs: { server: "a", path: "/" } }),
  volume("a volume of an unknown policy", { ...disk, persistentVolumeReclaimPolicy: "Burn" }),
  scaler("an HPA without a target", { maxReplicas: 3 }),
  scaler("an HPA without a maximum", { scaleTargetRef: target }),
  scaler("an HPA with the maximum below the minimum", { scaleTargetRef: target, minReplicas: 5, maxReplicas: 3 }),
  scaler("an HPA of an unknown metric", { scaleTargetRef: target, maxReplicas: 3, metrics: [{ type: "Magic" }] }),
  post("a PDB of both", at("policy/poddisruptionbudgets"), { metadata: { name: "bad" }, spec: { minAvailable: 1, maxUnavailable: 1 } }),
  post("a PDB below zero", at("policy/poddisruptionbudgets"), { metadata: { name: "bad" }, spec: { minAvailable: -1 } }),
  post("a PDB of a bad share", at("policy/poddisruptionbudgets"), { metadata: { name: "bad" }, spec: { maxUnavailable: "much" } }),
  post("a quota below zero", at("resourcequotas"), { metadata: { name: "bad" }, spec: { hard: { pods: "-1" } } }),
  post("a quota of a fraction", at("resourcequotas"), { metadata: { name: "bad" }, spec: { hard: { pods: "500m" } } }),
  post("a quota of an unknown name", at("resourcequotas"), { metadata: { name: "bad" }, spec: { hard: { nonsense: "1" } } }),
  post("a quota of an unknown scope", at("resourcequotas"), { metadata: { name: "bad" }, spec: { hard: { pods: "1" }, scopes: ["Far"] } }),
  post("limits of an unknown type", at("limitranges"), { metadata: { name: "bad" }, spec: { limits: [{ type: "nonsense" }] } }),
  post("limits with the minimum above", at("limitranges"), {
    metadata: { name: "bad" },
    spec: { limits: [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] },
  }),
  binding("a binding without a role", { subjects: [] }),
  binding("a binding to an unknown kind", { roleRef: { ...roleRef, kind: "Magic" } }),
  binding("a binding of an unnamed subject", { roleRef, subjects: [{ kind: "User", name: "" }] }),
  binding("a binding of an unknown subject", { roleRef, subjects: [{ kind: "Magic", name: "a" }] }),
  binding("a binding to work with", { roleRef, subjects: [{ kind: "User", name: "a", apiGroup: "rbac.authorization.k8s.io" }] }),
  patch("another role", at("rbac/rolebindings", "bad"), "merge", { roleRef: { name: "other" } }),
  post("a Role without verbs", at("rbac/roles"), { metadata: { name: "bad" }, rules: [{ apiGroups: [""], resources: ["pods"] }] }),
  post("a Role without resources", at("rbac/roles"), { metadata: { name: "bad" }, rules: [{ apiGroups: [""], verbs: ["get"] }] }),
  post("a priority class above the system's", at("scheduling/priorityclasses"), { metadata: { name: "bad" }, value: 2000000000 }),
  post("a priority class of the system's name", at("scheduling/priorityclasses"), { metadata: { name: "system-bad" }, value: 1 }),
  post("a priority class of a bad policy", at("scheduling/priorityclasses"), {
    metadata: { name: "bad" },
    value: 1,
    preemptionPolicy: "Sometimes",
  }),
  post("a storage class without a maker", at("storage/storageclasses"), { metadata: { name: "bad" } }),
  post("a storage class of a bad mode", at("storage/storageclasses"), {
    metadata: { name: "bad" },
    provisioner: "a",
    volumeBindingMode: "Later",
  }),
  post("an Ingress without rules", at("networking/ingresses"), { metadata: { name: "bad" }, spec: {} }),
  post("an Ingress of a bad path", at("networking/ingresses"), {
    metadata: { name: "bad" },
    spec: { rules: [{ http: { paths: [{ path: "a", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }] } }] },
  }),
  post("an Ingress of an unknown path type", at("networking/ingresses"), {
    metadata: { name: "bad" },
    spec: { rules: [{ http: { paths: [{ path: "/", pathType: "Magic", backend: { service: { name: "s", port: { number: 80 } } } }] } }] },
  }),
  post("a NetworkPolicy of an unknown type", at("networking/networkpolicies"), {
    metadata: { name: "bad" },
    spec: { podSelector: {}, policyTypes: ["Far"] },
  }),
  post("a Lease of no time", at("coordination/leases"), { metadata: { name: "bad" }, spec: { leaseDurationSeconds: 0 } }),
  put("a Lease without a version", at("coordination/leases", "none"), { metadata: { name: "none" }, spec: { leaseTransitions: -1 } }),
  post("a slice of an unknown type", at("discovery/endpointslices"), { metadata: { name: "bad" }, addressType: "Magic", endpoints: [] }),
  post("a slice of a bad address", at("discovery/endpointslices"), {
    metadata: { name: "bad" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["here"] }],
  }),
  post("Endpoints of a bad address", at("endpoints"), {
    metadata: { name: "bad" },
    subsets: [{ addresses: [{ ip: "here" }], ports: [port] }],
  }),
  post("an Event of another namespace", at("events"), { metadata: { name: "bad" }, involvedObject: { namespace: "other" } }),
  post("a Node with a bad range", at("nodes"), { metadata: { name: "bad" }, spec: { podCIDR: "here", podCIDRs: ["here"] } }),
  post("a Node with a bad taint", at("nodes"), { metadata: { name: "bad" }, spec: { taints: [{ key: "a", effect: "Fly" }] } }),
  post("a request without a signer", at("certificates/certificatesigningrequests"), {
    metadata: { name: "bad" },
    spec: { request: "eA==", usages: ["client auth"] },
  }),
  post("a class of volume attributes", at("storage/volumeattributesclasses"), {
    metadata: { name: "gold" },
    driverName: "d",
    parameters: { a: "b" },
  }),
  remove("the class is kept while claims may use it", at("storage/volumeattributesclasses", "gold")),
  remove("the namespace that stays", "/api/v1/namespaces/default"),
  remove("the system's namespace", "/api/v1/namespaces/kube-system"),
  put("a namespace finalized without a spec", "/api/v1/namespaces/nothing/finalize", { metadata: { name: "nothing" }, spec: {} }),
]
