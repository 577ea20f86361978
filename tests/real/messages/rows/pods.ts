import { richPod } from "../../api/objects/pod-specs.ts"
import { at, patch, post, put, type Row } from "../row.ts"

const container = { name: "main", image: "example/main:1" }

function pod(name: string, spec: object): Row {
  return post(name, at("pods"), { metadata: { name: "bad" }, spec })
}

/** One container that is invalid. */
function one(name: string, part: object): Row {
  return pod(name, { containers: [{ ...container, ...part }] })
}

function volume(name: string, part: object): Row {
  return pod(name, { containers: [container], volumes: [{ name: "v", ...part }] })
}

const near = { topologyKey: "t", labelSelector: { matchExpressions: [{ key: "a", operator: "Exists" }], matchLabels: { b: "c" } } }
const probe = { httpGet: { path: "/", port: 80 } }
/** What of a pod of everything is changed, each field in its turn; the refusal shows the difference in the layout of Go's memory. */
const everything = {
  volumes: [{ name: "settings", csi: { driver: "a.b", volumeAttributes: { z: "1", a: "2" } } }, ...richPod.volumes.slice(1)],
  hostAliases: null,
  affinity: { podAntiAffinity: null, nodeAffinity: null, podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } },
  topologySpreadConstraints: null,
  securityContext: { runAsUser: 7, seccompProfile: { type: "RuntimeDefault" }, sysctls: null },
  dnsConfig: null,
  readinessGates: [{ conditionType: "a/b" }],
  imagePullSecrets: null,
  nodeSelector: null,
  overhead: { cpu: "1" },
  initContainers: richPod.initContainers.map((one) => ({ ...one, lifecycle: { preStop: { sleep: { seconds: 1 } } } })),
  containers: richPod.containers.map((one) => ({
    ...one,
    env: [{ name: "Z", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    ports: [{ containerPort: 1, hostIP: "10.0.0.1" }],
    volumeMounts: null,
    resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }],
    startupProbe: { grpc: { port: 7 } },
    securityContext: { privileged: true },
  })),
}

export const pods: readonly Row[] = [
  post("a Pod without a spec", at("pods"), { metadata: { name: "bad" } }),
  pod("no containers", { containers: [] }),
  one("a container without a name", { name: "" }),
  one("a container with a bad name", { name: "Main" }),
  one("a container without an image", { image: "" }),
  one("an image with a space", { image: " a " }),
  pod("two containers of one name", { containers: [container, container] }),
  pod("an init container of the same name", { containers: [container], initContainers: [container] }),
  one("an unknown pull policy", { imagePullPolicy: "Sometimes" }),
  one("an unknown termination policy", { terminationMessagePolicy: "Loud" }),
  one("a port of zero", { ports: [{ containerPort: 0 }] }),
  one("a port that is too high", { ports: [{ containerPort: 70000 }] }),
  one("an unknown protocol", { ports: [{ containerPort: 80, protocol: "ICMP" }] }),
  one("a port with a bad name", { ports: [{ containerPort: 80, name: "Not_A_Port" }] }),
  one("two ports of one name", {
    ports: [
      { containerPort: 80, name: "web" },
      { containerPort: 81, name: "web" },
    ],
  }),
  one("a variable without a name", { env: [{ value: "a" }] }),
  one("a variable with a bad name", { env: [{ name: "a=b", value: "a" }] }),
  one("a variable of two sources", { env: [{ name: "A", value: "a", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
  one("a variable of no source", { env: [{ name: "A", valueFrom: {} }] }),
  one("a variable of an unknown field", { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nonsense" } } }] }),
  one("a variable of an unnamed ConfigMap", { env: [{ name: "A", valueFrom: { configMapKeyRef: { key: "a" } } }] }),
  one("a request above its limit", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
  one("a request below zero", { resources: { requests: { cpu: "-1" } } }),
  one("an unknown resource", { resources: { requests: { nonsense: "1" } } }),
  one("a quantity that is none", { resources: { requests: { cpu: "much" } } }),
  one("a device without a limit", { resources: { requests: { "example.com/gpu": "1" } } }),
  one("a mount of nothing", { volumeMounts: [{ name: "nothing", mountPath: "/a" }] }),
  pod("a mount without a path", {
    containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "" }] }],
    volumes: [{ name: "v", emptyDir: {} }],
  }),
  pod("two mounts at one path", {
    containers: [
      {
        ...container,
        volumeMounts: [
          { name: "v", mountPath: "/a" },
          { name: "v", mountPath: "/a" },
        ],
      },
    ],
    volumes: [{ name: "v", emptyDir: {} }],
  }),
  one("a probe that does nothing", { livenessProbe: {} }),
  one("a probe that does two things", { livenessProbe: { ...probe, exec: { command: ["a"] } } }),
  one("a probe with a bad port", { livenessProbe: { httpGet: { path: "/", port: 0 } } }),
  one("a probe with a bad period", { livenessProbe: { ...probe, periodSeconds: -1 } }),
  one("a liveness probe that must succeed twice", { livenessProbe: { ...probe, successThreshold: 2 } }),
  one("a hook that does nothing", { lifecycle: { preStop: {} } }),
  one("a user below zero", { securityContext: { runAsUser: -1 } }),
  volume("a volume with a bad name", { name: "V", emptyDir: {} }),
  volume("a volume of two kinds", { emptyDir: {}, hostPath: { path: "/a" } }),
  volume("a volume of an unnamed ConfigMap", { configMap: {} }),
  volume("a volume of an unnamed Secret", { secret: {} }),
  volume("a volume of an unnamed claim", { persistentVolumeClaim: { claimName: "" } }),
  volume("a volume of no path", { hostPath: { path: "" } }),
  pod("two volumes of one name", {
    containers: [container],
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "v", emptyDir: {} },
    ],
  }),
  pod("an unknown restart policy", { containers: [container], restartPolicy: "Sometimes" }),
  pod("an unknown DNS policy", { containers: [container], dnsPolicy: "Nowhere" }),
  pod("DNS policy None without servers", { containers: [container], dnsPolicy: "None" }),
  pod("a deadline of zero", { containers: [container], activeDeadlineSeconds: 0 }),
  pod("a grace below zero", { containers: [container], terminationGracePeriodSeconds: -1 }),
  pod("a bad node name", { containers: [container], nodeName: "Node_1" }),
  pod("a bad node selector", { containers: [container], nodeSelector: { "-": "x" } }),
  pod("a bad host name", { containers: [container], hostname: "A.B" }),
  pod("a bad service account", { containers: [container], serviceAccountName: "A" }),
  pod("an unknown priority class", { containers: [container], priorityClassName: "nonsense" }),
  pod("a priority of one's own", { containers: [container], priority: 7 }),
  pod("a toleration of a bad operator", { containers: [container], tolerations: [{ key: "a", operator: "Near" }] }),
  pod("a toleration of everything with a value", { containers: [container], tolerations: [{ key: "a", operator: "Exists", value: "b" }] }),
  pod("a toleration of a bad effect", { containers: [container], tolerations: [{ key: "a", operator: "Exists", effect: "Fly" }] }),
  pod("a toleration with seconds of another effect", {
    containers: [container],
    tolerations: [{ operator: "Exists", effect: "NoSchedule", tolerationSeconds: 1 }],
  }),
  pod("an affinity without terms", {
    containers: [container],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  }),
  pod("an affinity of a bad operator", {
    containers: [container],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Near" }] }] },
      },
    },
  }),
  pod("a spread without a key", {
    containers: [container],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" }],
  }),
  pod("a spread of zero", {
    containers: [container],
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
  }),
  pod("a spread of a bad action", {
    containers: [container],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "Cry" }],
  }),
  pod("a preemption policy of its own", { containers: [container], preemptionPolicy: "Never" }),
  post("a Pod to work with", at("pods"), { metadata: { name: "good" }, spec: { containers: [container] } }),
  patch("another name of a container", at("pods", "good"), "json", [{ op: "replace", path: "/spec/containers/0/name", value: "other" }]),
  patch("another restart policy", at("pods", "good"), "merge", { spec: { restartPolicy: "Never" } }),
  patch("the host's network", at("pods", "good"), "merge", { spec: { hostNetwork: true, hostPID: true } }),
  patch("a class of priority", at("pods", "good"), "merge", { spec: { terminationGracePeriodSeconds: 5, hostname: "<a>" } }),
  ...(["merge", "strategic"] as const).map((type) =>
    patch(`empty lists and maps where there were none, ${type}`, at("pods", "good"), type, {
      spec: {
        volumes: [],
        nodeSelector: {},
        hostAliases: [],
        readinessGates: [],
        securityContext: { sysctls: [] },
        hostNetwork: true,
      },
    }),
  ),
  patch("empty lists and maps in containers", at("pods", "good"), "merge", {
    spec: {
      hostNetwork: true,
      initContainers: [],
      imagePullSecrets: [],
      tolerations: [],
      containers: [{ ...container, command: [], args: [], ports: [], env: [], envFrom: [], resources: { limits: {} }, volumeMounts: [] }],
    },
  }),
  post("a pod of everything", at("pods"), { metadata: { name: "everything" }, spec: richPod }),
  patch("a pod of everything: another subdomain", at("pods", "everything"), "merge", { spec: { subdomain: "s" } }),
  ...Object.entries(everything).map(([key, value]) =>
    patch(`a pod of everything: ${key}`, at("pods", "everything"), "merge", { spec: { [key]: value } }),
  ),
  patch("one container more", at("pods", "good"), "strategic", { spec: { containers: [{ name: "more", image: "a" }] } }),
  patch("a deadline", at("pods", "good"), "merge", { spec: { activeDeadlineSeconds: 0 } }),
  patch("an unknown phase", at("pods", "good", "status"), "merge", { status: { phase: "Flying" } }),
  post("a binding of another pod of the name", at("pods", "good", "binding"), {
    metadata: { name: "good", uid: "00000000-0000-4000-8000-000000000000" },
    target: { name: "n" },
  }),
  post("a binding of an older state", at("pods", "good", "binding"), {
    metadata: { name: "good", resourceVersion: "1" },
    target: { name: "n" },
  }),
  post("a binding to nowhere", at("pods", "good", "binding"), { target: {} }),
  post("a binding to another kind", at("pods", "good", "binding"), { target: { kind: "Pod", name: "n" } }),
  post("a binding of a missing pod", at("pods", "nothing", "binding"), { target: { name: "n" } }),
  post("an eviction of a missing pod", at("pods", "nothing", "eviction"), {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "nothing" },
  }),
  post("an eviction of another name", at("pods", "good", "eviction"), {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "other" },
  }),
  put("ephemeral containers by PUT of another name", at("pods", "good", "ephemeralcontainers"), { metadata: { name: "other" } }),
]
