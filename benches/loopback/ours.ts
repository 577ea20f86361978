// A process with one loopback balancer in front of an endpoint: node ours.ts <endpoint's port> → prints address and port.
import type { Service } from "@pilothouse/api/core/v1"
import { LoopbackCloud, loopbackProvider } from "@pilothouse/cloud"
import { systemClock } from "@pilothouse/seams/system"

const port = 18_500
const cloud = new LoopbackCloud({ clock: systemClock })
const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "bench", namespace: "default", uid: "bench" },
  spec: { type: "LoadBalancer", ports: [{ port, protocol: "TCP" }] },
}
cloud.setTargets("kubernetes", "default/bench", new Map([[`TCP ${port}`, [{ address: "127.0.0.1", port: Number(process.argv[2]) }]]]))
const made = await loopbackProvider({ cloud }).loadBalancers?.ensure(service, [], new AbortController().signal)
console.log(`${made?.status.ingress?.[0]?.ip} ${port}`)
