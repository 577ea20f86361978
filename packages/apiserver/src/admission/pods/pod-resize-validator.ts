import {
  type Amount,
  amountMilliValue,
  amountValue,
  compareAmounts,
  parseResources,
  podRequests,
  StatusError,
  zeroAmount,
} from "@pilothouse/api"
import { type Node, nodes, type Pod } from "@pilothouse/api/core/v1"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** Refuses to resize a pod to more than its node can ever give it. */
export const podResizeValidator: AdmissionPlugin = {
  name: "PodResizeValidator",
  validate(attributes) {
    const node = nodeOfChanged(attributes)
    if (node === undefined) return
    const os = node.metadata.labels?.["kubernetes.io/os"] ?? "linux"
    if (os !== "linux") {
      const why = `pod resize is only supported on linux nodes, node "${node.metadata.name}" is "${os}"`
      throw withCause(attributes, why, "UnsupportedPlatform")
    }
    const lacking = lackingIn(node, attributes.object as Pod)
    if (lacking === "") return
    throw withCause(attributes, `node didn't have enough allocatable resources: ${lacking}`, "NodeCapacity")
  },
}

/** Returns the node of a pod whose spec changes; undefined for pods that are on none. */
export function nodeOfChanged(attributes: AdmissionAttributes): Node | undefined {
  const { server, operation, object, old } = attributes
  const nodeName = (object as Pod | undefined)?.spec?.nodeName ?? ""
  if (operation !== "UPDATE" || nodeName === "" || object?.metadata.generation === old?.metadata.generation) return undefined
  const node = readObject(server.storage, server.registry.of(nodes), undefined, nodeName)
  if (node === undefined) throw refusal(attributes, `node "${nodeName}" not found`)
  return node
}

function lackingIn({ status }: Node, pod: Pod): string {
  const [allocatable, requests] = [parseResources(status?.allocatable), podRequests(pod)]
  const lacks = (name: string, shown: (amount: Amount) => unknown) => {
    const [requested, available] = [requests.get(name) ?? zeroAmount, allocatable.get(name) ?? zeroAmount]
    if (compareAmounts(requested, available) <= 0) return []
    return [`${name}, requested: ${shown(requested)}, allocatable: ${shown(available)}`]
  }
  return [...lacks("cpu", amountMilliValue), ...lacks("memory", amountValue)].join("; ")
}

function withCause(attributes: AdmissionAttributes, why: string, reason: string): StatusError {
  const { status } = refusal(attributes, why)
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } })
}
