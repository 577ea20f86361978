import type { Quantity } from "@pilothouse/api"
import type {
  ConfigMap,
  Namespace,
  Node,
  NodeSpec,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Pod,
  PodSpec,
  PodStatus,
  Secret,
  Service,
  ServicePort,
  ServiceSpec,
} from "@pilothouse/api/core/v1"
import { clusterMetadata, type MetadataOptions, namespacedMetadata } from "./metadata.ts"

/** Options of `aPod`. */
export interface PodOptions extends MetadataOptions {
  readonly image?: string
  /** The node it is bound to. */
  readonly node?: string
  readonly phase?: PodStatus["phase"]
  /** Its condition Ready; absent unless given. A ready pod is also Running unless `phase` is given. */
  readonly ready?: boolean
  readonly spec?: Partial<PodSpec>
  readonly status?: PodStatus
}

/** A valid pod with one container. It has a status only where an option is about it. */
export function aPod(name: string, options: PodOptions = {}): Pod {
  const { image = "example.com/app:1", node, spec } = options
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: namespacedMetadata(name, options),
    spec: { containers: [{ name: "app", image }], ...(node !== undefined && { nodeName: node }), ...spec },
    ...podStatus(options),
  }
}

function podStatus({ ready, phase = ready ? "Running" : undefined, status }: PodOptions): Pick<Pod, "status"> {
  if (phase === undefined && ready === undefined && status === undefined) return {}
  const conditions = ready === undefined ? {} : { conditions: [readyCondition(ready)] }
  return { status: { ...(phase !== undefined && { phase }), ...conditions, ...status } }
}

/** Options of `aNode`. */
export interface NodeOptions extends MetadataOptions {
  /** Its condition Ready; true unless given. */
  readonly ready?: boolean
  readonly allocatable?: Readonly<Record<string, Quantity>>
  readonly taints?: NodeSpec["taints"]
  readonly spec?: NodeSpec
  readonly status?: NodeStatus
}

/** A node that is ready and has room for 110 pods. */
export function aNode(name: string, options: NodeOptions = {}): Node {
  const { ready = true, allocatable = { cpu: "4", memory: "16Gi", pods: "110" }, taints, spec, status } = options
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: clusterMetadata(name, { ...options, labels: { "kubernetes.io/hostname": name, ...options.labels } }),
    spec: { ...(taints && { taints }), ...spec },
    status: { capacity: allocatable, allocatable, conditions: [readyCondition(ready)], ...status },
  }
}

/** Options of `aService`. */
export interface ServiceOptions extends MetadataOptions {
  readonly type?: ServiceSpec["type"]
  /** `{ app: name }` unless given. */
  readonly selector?: ServiceSpec["selector"]
  /** One port, 80, unless given. */
  readonly ports?: readonly ServicePort[]
  readonly spec?: Partial<ServiceSpec>
  readonly status?: Service["status"]
}

/** A Service that selects the pods labelled `app: <name>`. */
export function aService(name: string, options: ServiceOptions = {}): Service {
  const { type, selector = { app: name }, ports = [{ port: 80 }], spec, status } = options
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: namespacedMetadata(name, options),
    spec: { ...(type && { type }), selector, ports, ...spec },
    ...(status && { status }),
  }
}

/** Options of `aConfigMap`. */
export interface ConfigMapOptions extends MetadataOptions {
  readonly data?: ConfigMap["data"]
}

/** Returns a ConfigMap. */
export function aConfigMap(name: string, options: ConfigMapOptions = {}): ConfigMap {
  const { data } = options
  return { apiVersion: "v1", kind: "ConfigMap", metadata: namespacedMetadata(name, options), ...(data && { data }) }
}

/** Options of `aSecret`. */
export interface SecretOptions extends MetadataOptions {
  readonly type?: string
  /** Plain text: the API server encodes it. */
  readonly stringData?: Secret["stringData"]
  readonly data?: Secret["data"]
}

/** Returns a Secret in the namespace default, Opaque by default as the server makes it. */
export function aSecret(name: string, options: SecretOptions = {}): Secret {
  const { type, stringData, data } = options
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: namespacedMetadata(name, options),
    ...(type && { type }),
    ...(stringData && { stringData }),
    ...(data && { data }),
  }
}

/** Returns a Namespace. */
export function aNamespace(name: string, options: MetadataOptions = {}): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: clusterMetadata(name, options) }
}

/** Options of `aClaim`. */
export interface ClaimOptions extends MetadataOptions {
  /** 1Gi unless given. */
  readonly storage?: Quantity
  readonly storageClass?: string
  readonly spec?: Partial<PersistentVolumeClaimSpec>
  readonly status?: PersistentVolumeClaim["status"]
}

/** A PersistentVolumeClaim that one node may write to. */
export function aClaim(name: string, options: ClaimOptions = {}): PersistentVolumeClaim {
  const { storage = "1Gi", storageClass, spec, status } = options
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: namespacedMetadata(name, options),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage } },
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      ...spec,
    },
    ...(status && { status }),
  }
}

/** Options of `aVolume`. */
export interface VolumeOptions extends MetadataOptions {
  /** 1Gi unless given. */
  readonly storage?: Quantity
  readonly storageClass?: string
  readonly spec?: Partial<PersistentVolumeSpec>
  readonly status?: PersistentVolume["status"]
}

/** A PersistentVolume of a directory of its node. */
export function aVolume(name: string, options: VolumeOptions = {}): PersistentVolume {
  const { storage = "1Gi", storageClass, spec, status } = options
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: clusterMetadata(name, options),
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage },
      hostPath: { path: `/volumes/${name}` },
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      ...spec,
    },
    ...(status && { status }),
  }
}

function readyCondition(ready: boolean) {
  return { type: "Ready", status: ready ? ("True" as const) : ("False" as const) }
}
