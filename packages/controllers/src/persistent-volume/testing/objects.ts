import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Pod,
} from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { bindCompleted, boundByController } from "../annotations.ts"

type Metadata = PersistentVolume["metadata"]

export interface VolumeOptions {
  readonly size?: string
  readonly phase?: NonNullable<PersistentVolume["status"]>["phase"]
  readonly message?: string
  /** "data", "data#uid-data": the claim in the namespace default, and its UID. */
  readonly for?: string
  /** Bound by the controller, not by a user. */
  readonly byUs?: boolean
  readonly spec?: Partial<PersistentVolumeSpec>
  readonly metadata?: Metadata
}

export function volume(name: string, options: VolumeOptions = {}): PersistentVolume {
  const { size = "1Gi", phase = "Available", message, byUs, spec, metadata } = options
  const [claim, uid] = options.for?.split("#") ?? []
  const reference = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: "default",
    name: claim,
    ...(uid !== undefined && { uid }),
  }
  const annotations = { ...(byUs && { [boundByController]: "yes" }), ...metadata?.annotations }
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `uid-${name}`, resourceVersion: "7", ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: size },
      persistentVolumeReclaimPolicy: "Retain",
      volumeMode: "Filesystem",
      hostPath: { path: `/srv/volumes/${name}`, type: "" },
      ...(claim !== undefined && { claimRef: reference }),
      ...spec,
    },
    status: { phase, ...(message !== undefined && { message }) },
  }
}

export interface ClaimOptions {
  readonly size?: string
  readonly phase?: NonNullable<PersistentVolumeClaim["status"]>["phase"]
  readonly volume?: string
  readonly class?: string
  /** Annotations: "completed" says bind-completed, "byUs" bound-by-controller. */
  readonly marks?: readonly ("completed" | "byUs")[]
  readonly spec?: Partial<PersistentVolumeClaimSpec>
  readonly metadata?: Metadata
}

export function claim(name: string, options: ClaimOptions = {}): PersistentVolumeClaim {
  const { size = "1Gi", phase = "Pending", marks = [], spec, metadata } = options
  const annotations = {
    ...(marks.includes("completed") && { [bindCompleted]: "yes" }),
    ...(marks.includes("byUs") && { [boundByController]: "yes" }),
    ...metadata?.annotations,
  }
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "9",
      ...metadata,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      volumeMode: "Filesystem",
      ...(options.volume !== undefined && { volumeName: options.volume }),
      ...(options.class !== undefined && { storageClassName: options.class }),
      ...spec,
    },
    status: { phase, ...(phase === "Bound" && { accessModes: ["ReadWriteOnce"], capacity: { storage: size } }) },
  }
}

export function storageClass(name: string, options: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: "kubernetes.io/host-path",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    ...options,
  }
}

export const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" }

/** A pod of the namespace default that mounts the claim. */
export function podWith(
  name: string,
  claimName: string,
  options: { readonly node?: string; readonly phase?: "Running" | "Succeeded" } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      containers: [{ name: "main", image: "example/main:1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
      ...(options.node !== undefined && { nodeName: options.node }),
    },
    ...(options.phase !== undefined && { status: { phase: options.phase } }),
  }
}

export const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }
