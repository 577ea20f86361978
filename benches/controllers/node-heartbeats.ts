import { formatMicroTime, type KubeObject } from "@pilothouse/api"
import { made, since } from "./made.ts"

export const nodes = 100
export const nodePools = 10

export function nodeNumber(number: number): KubeObject {
  const labels = { pool: String(number % nodePools), "kubernetes.io/hostname": `node-${number}` }
  const ready = { type: "Ready", status: "True", lastHeartbeatTime: since, lastTransitionTime: since }
  return made("v1", "Node", { name: `node-${number}`, labels }, { spec: {}, status: { conditions: [ready] } })
}

/** What the kubelets of all nodes say every few seconds: without it the nodes are lost, and a cluster is not at rest. */
export function heartbeats(now: number): readonly KubeObject[] {
  return Array.from({ length: nodes }, (_, number) => {
    const spec = { holderIdentity: `node-${number}`, leaseDurationSeconds: 40, renewTime: formatMicroTime(now) }
    return made("coordination.k8s.io/v1", "Lease", { name: `node-${number}`, namespace: "kube-node-lease" }, { spec })
  })
}
