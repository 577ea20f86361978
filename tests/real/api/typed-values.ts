import type { Draw } from "./draw.ts"
import type { JsonObject } from "./objects/object.ts"

/** Few, so that a patch often meets what is there: most are also names in the sample objects. */
export const words = ["a", "b", "c", "web", "sidecar", "cache", "settings", "x-1"] as const

const effects = ["NoSchedule", "NoExecute", "PreferNoSchedule"]
const statuses = ["True", "False", "Unknown"]

function condition(draw: Draw): JsonObject {
  return {
    type: draw.pick(["Ready", "DiskPressure", "Initialized", "Available"]),
    status: draw.pick(statuses),
    reason: "Drawn",
    lastTransitionTime: "2024-05-06T07:08:09Z",
  }
}

const volumeSources: readonly ((draw: Draw) => JsonObject)[] = [
  (draw) => ({ emptyDir: draw.chance(0.5) ? {} : { medium: "Memory" } }),
  (draw) => ({ configMap: { name: draw.pick(words), optional: draw.chance(0.5) } }),
  (draw) => ({ secret: { secretName: draw.pick(words) } }),
  (draw) => ({ hostPath: { path: `/${draw.pick(words)}` } }),
]

const reference = (draw: Draw): JsonObject => ({ name: draw.pick(words) })

/**
 * Values of types whose parts must fit together to be valid. Everything else is drawn from the schema alone, which the server often refuses:
 * both answers are compared.
 */
export const typedValues: Readonly<Record<string, (draw: Draw) => JsonObject>> = {
  // Never more: the rest of it says which object it is.
  ObjectMeta: (draw) => ({ labels: { app: "web", tier: draw.pick(words) } }),
  Container: (draw) => ({ name: draw.pick(words), image: `registry.test/${draw.pick(words)}:${draw.int(1, 9)}` }),
  Volume: (draw) => ({ name: draw.pick(words), ...draw.pick(volumeSources)(draw) }),
  EnvVar: (draw) => ({
    name: draw.pick(["A", "B", "C", "POD"]),
    ...(draw.chance(0.8) ? { value: draw.pick(words) } : { valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }),
  }),
  ContainerPort: (draw) => ({
    containerPort: draw.pick([8080, 9090, 53, 7000]),
    ...(draw.chance(0.4) ? { protocol: draw.pick(["TCP", "UDP"]) } : {}),
  }),
  ServicePort: (draw) => ({
    name: draw.pick(["http", "https", "dns", "more"]),
    port: draw.pick([80, 443, 53, 9000]),
    ...(draw.chance(0.5) ? { targetPort: draw.pick(["http", 8080]) } : {}),
  }),
  VolumeMount: (draw) => ({
    name: draw.pick(["settings", "cache", "host"]),
    mountPath: draw.pick(["/etc/settings", "/var/cache", "/data"]),
  }),
  Toleration: (draw) => ({ key: draw.pick(words), operator: "Exists", effect: draw.pick(effects) }),
  Taint: (draw) => ({ key: draw.pick(words), value: draw.pick(words), effect: draw.pick(effects) }),
  HostAlias: (draw) => ({ ip: draw.pick(["10.1.2.3", "10.1.2.4", "10.1.2.5"]), hostnames: [`${draw.pick(words)}.test`] }),
  LocalObjectReference: reference,
  ObjectReference: reference,
  TopologySpreadConstraint: (draw) => ({
    maxSkew: draw.int(1, 3),
    topologyKey: draw.pick(["zone", "kubernetes.io/hostname", "rack"]),
    whenUnsatisfiable: draw.pick(["DoNotSchedule", "ScheduleAnyway"]),
  }),
  OwnerReference: (draw) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: draw.pick(words),
    uid: `00000000-0000-4000-8000-00000000000${draw.int(1, 4)}`,
  }),
  NodeCondition: condition,
  PodCondition: condition,
  DeploymentCondition: condition,
  Condition: (draw) => ({ ...condition(draw), message: "m" }),
  NodeAddress: (draw) => ({
    type: draw.pick(["InternalIP", "Hostname", "ExternalIP"]),
    address: draw.pick(["10.4.0.1", "10.4.0.2", "rich"]),
  }),
  KeyToPath: (draw) => ({ key: draw.pick(words), path: `${draw.pick(words)}.conf` }),
  LabelSelector: (draw) => ({ matchLabels: { app: draw.pick(words) } }),
  LabelSelectorRequirement: (draw) => ({ key: draw.pick(words), operator: draw.pick(["Exists", "DoesNotExist"]) }),
  NodeSelectorRequirement: (draw) => ({ key: draw.pick(words), operator: "In", values: [draw.pick(words)] }),
  Probe: (draw) => ({ tcpSocket: { port: draw.int(1, 9000) }, periodSeconds: draw.int(1, 9) }),
  ProbeHandler: (draw) => ({ exec: { command: [draw.pick(words)] } }),
  EnvFromSource: (draw) => ({ configMapRef: { name: draw.pick(words) } }),
  PolicyRule: (draw) => ({ apiGroups: [""], resources: [draw.pick(words)], verbs: ["get", draw.pick(words)] }),
  Subject: (draw) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: draw.pick(words) }),
  IngressRule: (draw) => ({ host: `${draw.pick(words)}.test` }),
  IngressBackend: (draw) => ({ service: { name: draw.pick(words), port: { number: draw.int(1, 99) } } }),
  IngressTLS: (draw) => ({ secretName: draw.pick(words) }),
  NetworkPolicyPort: (draw) => ({ port: draw.int(1, 99), protocol: draw.pick(["TCP", "UDP"]) }),
  NetworkPolicyPeer: (draw) => ({ podSelector: { matchLabels: { app: draw.pick(words) } } }),
  Endpoint: (draw) => ({ addresses: [`10.2.0.${draw.int(1, 9)}`], zone: draw.pick(words) }),
  EndpointPort: (draw) => ({ name: draw.pick(words), port: draw.int(1, 99), protocol: "TCP" }),
}
