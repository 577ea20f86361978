import type { KubeObject } from "@pilothouse/api"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type VolumeAttachment, volumeAttachments } from "@pilothouse/api/storage/v1"
import { type Controller, controller, plan, podsByNode, watch } from "@pilothouse/runtime"
import { managedAnnotation } from "../observe.ts"

export const driver = "disk.example.com"
export const inUse = (handle: string) => `kubernetes.io/csi/${driver}^${handle}`
const finalizer = "external-attacher/disk-example-com"

/** The part of a CSI driver that carries out VolumeAttachments. Nodes and volumes that are broken fail with what `fault` says. */
export function externalAttacher(fault: (attachment: VolumeAttachment) => string | undefined = () => undefined): Controller {
  return controller("external-attacher", {
    for: volumeAttachments,
    observe: (key, read) => read.get(volumeAttachments, key),
    decide(attachment) {
      const { metadata, status } = attachment
      const held = metadata.finalizers?.includes(finalizer) === true
      if (metadata.deletionTimestamp !== undefined)
        return held ? plan().patch(attachment, { metadata: { finalizers: [] } }, "it is detached") : plan().nothing()
      if (!held) return plan().patch(attachment, { metadata: { finalizers: [finalizer] } }, "it is to be detached first")
      if (status?.attached === true) return plan().nothing()
      const message = fault(attachment)
      if (message === undefined) return plan().status(attachment, { attached: true }, "it is attached")
      return status?.attachError?.message === message
        ? plan().nothing()
        : plan().status(attachment, { attached: false, attachError: { message } }, "it cannot be attached")
    },
  })
}

/** The part of a kubelet that reports volumes in use: those of the pods that are on the node, once they are attached. */
export function volumeReporter(volumeOf: (pod: Pod) => string | undefined, isStuck: (node: string) => boolean = () => false): Controller {
  return controller("volume-reporter", {
    for: nodes,
    watches: [watch(pods, "a pod came or went", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []))],
    indexes: [podsByNode],
    observe: (name, read) => {
      const node = read.get(nodes, name)
      return node && !isStuck(name) ? { node, pods: read.byIndex(podsByNode, name) } : undefined
    },
    decide({ node, pods: here }) {
      const attached = new Set(node.status?.volumesAttached?.map(({ name }) => name))
      const used = here
        .flatMap((pod) => volumeOf(pod) ?? [])
        .filter((name) => attached.has(name) || node.status?.volumesInUse?.includes(name))
      if (used.join() === (node.status?.volumesInUse ?? []).join()) return plan().nothing()
      return plan().patch(node, { status: { volumesInUse: used } } as Partial<Node>, "its volumes changed", { subresource: "status" })
    },
  })
}

export function csiNode(name: string, more: { readonly ready?: boolean; readonly managed?: boolean } = {}): KubeObject {
  const { ready = true, managed = true } = more
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, annotations: managed ? { [managedAnnotation]: "true" } : {} },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  } as KubeObject
}

/** A volume and the claim that is bound to it; both are named as the volume's handle. */
export function boundVolume(name: string, accessModes: readonly string[] = ["ReadWriteOnce"]): readonly KubeObject[] {
  const capacity = { storage: "1Gi" }
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: { accessModes, capacity, csi: { driver, volumeHandle: name }, claimRef: { namespace: "default", name } },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: "default" },
      spec: { accessModes, resources: { requests: capacity }, volumeName: name, storageClassName: "" },
    },
  ] as unknown as readonly KubeObject[]
}

export function podOn(node: string, claim: string, name = "web", namespace = "default"): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      nodeName: node,
      containers: [{ name: "main", image: "example/main:1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
    },
  } as KubeObject
}
