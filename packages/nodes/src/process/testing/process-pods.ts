import { type Container, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { type FakeHost, fakeHost } from "./spawn.ts"

/** Returns the pod "web" with one process. */
export function pod(container: Partial<Container> = {}, more: Partial<Pod["spec"] & object> = {}): Pod {
  const main = { name: "main", image: "process", command: ["serve"], ...container }
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } }, spec: { ...more, containers: [main] } }
}

/** A cluster whose pods with the image `process` are processes of a host that does what the test says. */
export async function start(options: ClusterOptions = {}): Promise<{ host: FakeHost; running: Cluster }> {
  const host = fakeHost()
  return { host, running: await cluster({ controllers: [], exec: host, kubeletEvents: true, ...options }) }
}

/** Reads the status of the pod "web". */
export const status = async (running: Cluster) => (await running.client.get(pods, "default/web")).status
